import ControlAPI
import EventLoop
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time

@testable import Accounts
@testable import PingOne
@testable import Vault

@Suite("Transaction rollback and pairing purge", .timeLimit(.minutes(30)))
struct RollbackTests {
  private struct Failure: Error {}

  @Test("a rolled-back transaction invalidates the caches")
  func rollback() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let store = bench.vault
      #expect(throws: Failure.self) {
        try store.write { _ in
          #expect(try bench.accounts.table.delete(account, of: Bench.owner))
          #expect(try bench.pairedCount() == 0)
          throw Failure()
        }
      }
      #expect(try bench.pairedCount() == 1)
    }
  }

  @Test("purging an expired pairing deletes its account and secret")
  func purge() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.weather = { (call, _) throws(PlatformError) in
        if call == .checkPasscode { throw .outOfReach }
      }
      _ = try? await bench.pair()
      let store = bench.vault
      let pairing = try #require(try store.pairings(of: Bench.owner).first)
      #expect(pairing.state == .activating)
      // The pairing waits for its owner again and gets no answer.
      try store.returnPairing(pairing.id)
      try store.purgePairings(before: pairing.expiresAt.adding(seconds: 1), now: bench.clock.now)
      #expect(try store.rows(.pairing) == 0 && store.rows(.account) == 0)
    }
  }
}
