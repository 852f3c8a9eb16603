import ControlAPI
import EventLoop
import TestLoop
import Testing
import Time

@testable import Authenticator

@Suite("What is undone or kept long enough", .timeLimit(.minutes(10)))
struct RollbackTests {
  private struct Failure: Error {}

  @Test("what was read in a transaction that is undone is not believed any more")
  func rollback() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let store = bench.authenticator.store
      #expect(throws: Failure.self) {
        try store.transaction { _ in
          try store.deleteAccount(account)
          #expect(try store.activeCount(of: Bench.owner) == 0)
          throw Failure()
        }
      }
      #expect(try store.activeCount(of: Bench.owner) == 1)
    }
  }

  @Test("a pairing that nobody wanted in the end takes the secret that it brought with it")
  func purge() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.weather = { (call, _) throws(PlatformError) in
        if call == .checkPasscode { throw .unreachable }
      }
      _ = try? await bench.pair()
      let store = bench.authenticator.store
      let pairing = try #require(try store.pairings(of: Bench.owner).first)
      #expect(pairing.state == .activating)
      // It waits for its owner's word again, which never comes.
      try store.returnPairing(pairing.id)
      try store.purge(before: pairing.expiresAt.adding(seconds: 1), now: bench.clock.now)
      #expect(try store.rows(.pairing) == 0 && store.rows(.account) == 0)
    }
  }
}
