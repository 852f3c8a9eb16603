import EventLoop
import Glibc
import TestLoop
import Testing

@testable import Accounts

@Suite("Large imports")
struct ImportLimitTests {
  private struct Failure: Error {}

  /// Starts an import that runs until `isOver` returns true.
  @EventLoop
  private static func begin(_ imports: Imports, _ owner: uid_t, until isOver: @escaping @EventLoop () -> Bool)
    -> Task<
      Void, any Error
    >
  {
    EventLoop.task {
      try await imports.bringIn(for: owner) {
        while !isOver() { try await EventLoop.sleep(for: .milliseconds(1)) }
      }
    }
  }

  @Test("at most one import per owner and four in total run at a time")
  func limits() async throws {
    try await TestLoop.run {
      let imports = Imports()
      var isOver = false
      let underWay = (0..<4).map { Self.begin(imports, UInt32($0)) { isOver } }
      await TestLoop.settle()
      for owner: uid_t in [0, 4] {
        await #expect(throws: BlockingWorkQueue.Busy.self) { try await imports.bringIn(for: owner) {} }
      }
      isOver = true
      for each in underWay { try await each.value }
      await #expect(throws: Failure.self) { try await imports.bringIn(for: 0) { throw Failure() } }
      #expect(try await imports.bringIn(for: 0) { 7 } == 7)
    }
  }
}
