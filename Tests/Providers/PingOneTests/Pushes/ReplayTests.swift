import Accounts
import ControlAPI
import EventLoop
import JSON
import JSONRPC
import PingOne
import SQLite
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@Suite("replayed pushes", .timeLimit(.minutes(30)))
struct ReplayTests {
  /// An approved push with the maximum lifetime.
  @EventLoop
  private static func approved(_ bench: Bench) async throws -> (push: JSON, id: String) {
    let push = JSON.string(try bench.push(["exp": .int(bench.clock.now.seconds + 86_400)]))
    let id = try #require(try bench.pushes.process(push, owner: Bench.owner)?.id)
    _ = try await bench.approve(id)
    return (push, id)
  }

  @EventLoop
  private static func expectSpent(_ push: JSON, after id: String, on bench: Bench) async throws {
    #expect(throws: RPCError.noSuch("request"), "its row is gone") { try bench.state(of: id) }
    let again = try #require(try bench.pushes.process(push, owner: Bench.owner))
    #expect(again.state == .known(.cancelled))
    #expect(try bench.pendingCount() == 0)
    await #expect(throws: RPCError.cancelled) { try await bench.approve(again.id) }
    #expect(bench.platform.decisions.count == 1)
  }

  @Test("an answered push is not pending again after its account is removed and paired again")
  func removed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let (push, id) = try await Self.approved(bench)
      _ = try await bench.accounts.remove(account, localOnly: false, owner: Bench.owner)
      try await bench.pair()
      try await Self.expectSpent(push, after: id, on: bench)
    }
  }

  @Test("an answered push is not pending again after its user is paired again and a crash")
  func replaced() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let (push, id) = try await Self.approved(bench)
      try await bench.pair()
      try bench.crash()
      try await Self.expectSpent(push, after: id, on: bench)
    }
  }

  @Test("an answered push is not pending again if retention is shorter than its lifetime")
  func retention() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nretention_days = 1")
      try await bench.pair()
      let (push, id) = try await Self.approved(bench)
      bench.clock.pass(.seconds(86_430))
      bench.retention.start()
      try await Self.expectSpent(push, after: id, on: bench)
    }
  }

  @Test("the record of an answered push is deleted after the push expires")
  func forgotten() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let (push, _) = try await Self.approved(bench)
      @EventLoop func seen() throws -> Int? {
        try bench.vault.database.row("SELECT count(*) FROM seen") { $0.int(0) }
      }
      #expect(try seen() == 1)
      bench.clock.pass(.seconds(86_400 + 121))
      bench.retention.start()
      #expect(try seen() == 0)
      #expect(throws: RPCError.tokenRejected) { try bench.pushes.process(push, owner: Bench.owner) }
    }
  }
}
