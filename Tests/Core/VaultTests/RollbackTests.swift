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

@Suite("What is undone or kept long enough", .timeLimit(.minutes(30)))
struct RollbackTests {
  private struct Failure: Error {}

  @Test("what was read in a transaction that is undone is not believed any more")
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

  @Test("a pairing that nobody wanted in the end takes the secret that it brought with it")
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
      // It waits for its owner's word again, which never comes.
      try store.returnPairing(pairing.id)
      try store.purgePairings(before: pairing.expiresAt.adding(seconds: 1), now: bench.clock.now)
      #expect(try store.rows(.pairing) == 0 && store.rows(.account) == 0)
    }
  }
}
