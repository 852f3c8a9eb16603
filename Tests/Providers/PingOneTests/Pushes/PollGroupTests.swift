import EventLoop
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@testable import PingOne

@Suite("polls of an unreachable platform", .timeLimit(.minutes(30)))
struct PollGroupTests {
  @Test("a failed poll is retried at once when another call succeeds, unless one is in flight")
  func askAgain() async throws {
    try await TestLoop.run {
      var polls: [CheckedContinuation<Bool, any Error>] = []
      let hours = BackOff(from: .seconds(3600), to: .seconds(3600))
      let group = PollGroup(time: .system, pauses: hours) { _ in
        try await withCheckedThrowingContinuation { polls.append($0) }
      } whenReachableAgain: { _ in
      }
      group.add(OwnedKey("one", of: Bench.owner))
      await settle()
      group.askAgain()
      await settle()
      #expect(polls.count == 1, "one is under way")
      polls[0].resume(throwing: PlatformError.outOfReach)
      await settle()
      #expect(polls.count == 1, "the next comes after an hour")
      group.askAgain()
      await settle()
      #expect(polls.count == 2)
      polls[1].resume(returning: false)
      await settle()
      group.askAgain()
      await settle()
      #expect(polls.count == 2, "the platform was answering")
      group.stop()
    }
  }
}
