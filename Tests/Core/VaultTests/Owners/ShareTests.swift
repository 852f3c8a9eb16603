import Approvals
import ControlAPI
import EventLoop
import Glibc
import JSON
import JSONRPC
import PingOne
import SQLite
import TestLoop
import TestPlatform
import Testing

@testable import Accounts
@testable import PingOne
@testable import Vault

@Suite("Owner quota", .timeLimit(.minutes(30)))
struct ShareTests {
  private static let tooManyAccounts = RPCError.quota(64, "accounts")
  private static let tooManyBytes = RPCError.quota.with(["limit": .int(16 << 20)])
    .withMessage("your data takes up the allowed 16 MiB")
  private static let other: uid_t = 7

  @Test("a pairing beyond 64 accounts is refused without a call until one is removed")
  func accounts() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      for number in 0..<64 {
        bench.platform.pairing.user = User(id: "u-\(number)", username: "ann\(number)")
        _ = try await bench.pairings.pair("01ABCDEFGHJK\(number + 10)", owner: Bench.owner)
      }
      #expect(try bench.accounts.list(of: Bench.owner).count == 64)
      let calls = bench.platform.calls
      await #expect(throws: Self.tooManyAccounts) { try await bench.pair() }
      #expect(bench.platform.calls == calls)
      #expect(try bench.vault.rows(.pairing) == 0)
      // Another owner has a separate quota.
      try await bench.pair(Self.other)
      try await bench.owners.erase(Self.other)
      let first = try #require(try bench.accounts.list(of: Bench.owner).first).id
      #expect(try bench.accounts.table.delete(first, of: Bench.owner))
      bench.platform.pairing.user = User(id: "u-new", username: "ann")
      try await bench.pair()
      #expect(try bench.accounts.list(of: Bench.owner).count == 64)
    }
  }

  @Test("pushes stay within the quota: completed ones are deleted and not accepted again")
  func pushes() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let store = bench.vault
      let first = try bench.push()
      let known = try #require(try bench.pushes.process(.string(first), owner: Bench.owner))
      for _ in 0..<50 { try bench.receive() }
      // Completed pushes use the whole quota except for less than one row.
      try store.enlargeSettled(of: Bench.owner, by: Quota.bytes - bench.quota.measured(Bench.owner) - 200)
      // The next run measures the usage again.
      try bench.crash()
      let before = try bench.quota.measured(Bench.owner)
      #expect(before > Quota.bytes - 256 && before <= Quota.bytes)
      try bench.receive()
      #expect(try (Quota.bytes / 3..<Quota.bytes * 2 / 3).contains(bench.quota.measured(Bench.owner)))
      for _ in 0..<30 {
        try bench.receive(["clientContext": .string(String(repeating: "x", count: 8000))])
        #expect(try bench.quota.measured(Bench.owner) <= bench.quota.reserved[Bench.owner] ?? 0)
      }
      // The first push is deleted. If received again, it is cancelled.
      #expect(throws: RPCError.noSuch("request")) {
        try bench.approvals.notification(known.id, of: Bench.owner)
      }
      let again = try #require(try bench.pushes.process(.string(first), owner: Bench.owner))
      #expect(again.state == .cancelled)
      await #expect(throws: RPCError.cancelled) {
        try await bench.approvals.approve(again.id, method: "user", number: nil, owner: Bench.owner)
      }
      // The last push can be answered, and other operations work.
      let last = try #require(try bench.receive())
      _ = try await bench.approvals.approve(last.id, method: "user", number: nil, owner: Bench.owner)
      _ = try await bench.payloads.make(for: Bench.owner)
      #expect(try bench.pendingCount() == 19)
    }
  }

  @Test("an operation beyond the quota is refused, but a push is accepted")
  func bytes() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      try await bench.pair(Self.other)
      let code = try await bench.codes.start("ABCD1234", owner: Bench.owner)
      // Leaves exactly the space of one more payload row.
      let free = try Quota.bytes - bench.quota.measured(Bench.owner)
      try bench.vault.enlarge(code.id, by: free - 288)
      try bench.crash()
      _ = try await bench.payloads.make(for: Bench.owner)
      await #expect(throws: Self.tooManyBytes) { try await bench.payloads.make(for: Bench.owner) }
      let calls = bench.platform.calls
      await #expect(throws: Self.tooManyBytes) {
        try await bench.codes.start("ABCD1235", owner: Bench.owner)
      }
      await #expect(throws: Self.tooManyBytes) { try await bench.pair() }
      #expect(bench.platform.calls == calls)
      let push = try #require(try bench.receive())
      #expect(push.state == .pending)
      _ = try await bench.payloads.make(for: Self.other)
      // Expired requests release space.
      bench.clock.pass(.seconds(121))
      _ = try await bench.payloads.make(for: Bench.owner)
      #expect(try bench.quota.measured(Bench.owner) < 1 << 16)
    }
  }

  @Test("cancellations received before their pushes are stored up to a limit")
  func cancellations() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let store = bench.vault
      let identity = try #require(try bench.identity())
      try store.fillCancellations(of: identity, user: "u-1", count: Vault.cancellationLimit)
      #expect(try store.cancellationCount() == Vault.cancellationLimit)
      #expect(try bench.receive(["type": "cancel", "cancels": "the-last"]) == nil)
      #expect(try store.cancellationCount() == Vault.cancellationLimit)
      #expect(try bench.receive(["jti": "the-last"])?.state == .cancelled)
      #expect(try bench.receive(["jti": "c-2"])?.state == .cancelled)
      #expect(try bench.receive(["jti": "c-1"])?.state == .pending)
    }
  }
}

extension Vault {
  fileprivate func enlarge(_ code: String, by count: Int) throws {
    try database.run(
      "UPDATE approval SET content = zeroblob(length(content) + ?) WHERE id = ?",
      SQLValue(count),
      .text(code)
    )
  }

  fileprivate func enlargeSettled(of owner: uid_t, by count: Int) throws {
    try database.run(
      """
      UPDATE approval SET content = zeroblob(length(content) + ?2 /
        (SELECT count(*) FROM approval WHERE owner = ?1 AND state = 'expired'))
      WHERE owner = ?1 AND state = 'expired'
      """,
      SQLValue(owner),
      SQLValue(count)
    )
  }

  fileprivate func fillCancellations(of identity: Identity, user: String, count: Int) throws {
    try database.run(
      """
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?3)
      INSERT INTO cancelled_push (identity, push_id, user_digest, expires_at)
      SELECT ?1, 'c-' || n, ?2, 9000000000000000 FROM number ORDER BY n
      """,
      .text(identity.id),
      .blob(try sealer.digest("cancelled_push", [identity.id, user])),
      SQLValue(count)
    )
  }

  fileprivate func cancellationCount() throws -> Int {
    try database.row("SELECT count(*) FROM cancelled_push") { $0.int(0) } ?? 0
  }
}
