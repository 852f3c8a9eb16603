import ControlAPI
import EventLoop
import Glibc
import JSON
import JSONRPC
import SQLite
import TestLoop
import Testing

@testable import Authenticator

@Suite("What one owner may have", .timeLimit(.minutes(10)))
struct ShareTests {
  private static let tooManyAccounts = RPCError.quota.with(["limit": 64])
  private static let tooManyBytes = RPCError.quota.with(["limit": .int(16 << 20)])
  private static let other: uid_t = 7

  @Test("64 accounts are taken, one more is not asked about, and one that goes makes room")
  func accounts() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      for number in 0..<64 {
        bench.platform.pairing.user = User(id: "u-\(number)", username: "ann\(number)")
        _ = try await bench.authenticator.pair("01ABCDEFGHJK\(number + 10)", owner: Bench.owner)
      }
      #expect(try bench.authenticator.accounts(of: Bench.owner).count == 64)
      let calls = bench.platform.calls
      await #expect(throws: Self.tooManyAccounts) { try await bench.pair() }
      #expect(bench.platform.calls == calls)
      #expect(try bench.authenticator.store.rows(.pairing) == 0)
      // Another owner has a share of their own.
      try await bench.pair(Self.other)
      try bench.authenticator.erase(owner: Self.other)
      try bench.authenticator.store.deleteAccount(
        try #require(try bench.authenticator.accounts(of: Bench.owner).first).id
      )
      bench.platform.pairing.user = User(id: "u-new", username: "ann")
      try await bench.pair()
      #expect(try bench.authenticator.accounts(of: Bench.owner).count == 64)
    }
  }

  @Test("pushes without end take no more than the share: settled ones go, and none of them comes back")
  func pushes() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let store = bench.authenticator.store
      let first = try bench.push()
      let known = try #require(try bench.authenticator.process(.string(first), owner: Bench.owner))
      for _ in 0..<50 { try bench.receive() }
      // What was settled takes all that there is, to less than one row.
      try store.enlargeSettled(of: Bench.owner, by: Share.bytes - store.measuredBytes(of: Bench.owner) - 200)
      let before = try store.measuredBytes(of: Bench.owner)
      #expect(before > Share.bytes - 256 && before <= Share.bytes)
      try bench.receive()
      #expect(try (Share.bytes / 3..<Share.bytes * 2 / 3).contains(store.measuredBytes(of: Bench.owner)))
      for _ in 0..<30 {
        try bench.receive(["clientContext": .string(String(repeating: "x", count: 8000))])
        #expect(try store.measuredBytes(of: Bench.owner) <= store.usedBytes[Bench.owner] ?? 0)
      }
      // The first is gone; sent again it can no more be answered than before.
      #expect(throws: RPCError.notFound) {
        try bench.authenticator.notification(known.id, owner: Bench.owner)
      }
      let again = try #require(try bench.authenticator.process(.string(first), owner: Bench.owner))
      #expect(again.state == .cancelled)
      await #expect(throws: RPCError.cancelled) {
        try await bench.authenticator.approve(again.id, method: "user", number: nil, owner: Bench.owner)
      }
      // The last is there to be answered, and so is everything else that the owner wants.
      let last = try #require(try bench.receive())
      _ = try await bench.authenticator.approve(last.id, method: "user", number: nil, owner: Bench.owner)
      _ = try await bench.authenticator.makePayload(for: Bench.owner)
      #expect(try bench.authenticator.ownerStatus(Bench.owner).pending == 19)
    }
  }

  @Test("what an owner wants to store is refused when nothing can go for it; a push is taken all the same")
  func bytes() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let (authenticator, store) = (bench.authenticator, bench.authenticator.store)
      try await bench.pair()
      try await bench.pair(Self.other)
      let code = try await authenticator.startAuthentication("ABCD1234", owner: Bench.owner)
      // To the last byte: the row that one more payload takes.
      let free = try Share.bytes - store.measuredBytes(of: Bench.owner)
      try store.enlarge(code.id, by: free - 288)
      _ = try await authenticator.makePayload(for: Bench.owner)
      await #expect(throws: Self.tooManyBytes) { try await authenticator.makePayload(for: Bench.owner) }
      let calls = bench.platform.calls
      await #expect(throws: Self.tooManyBytes) {
        try await authenticator.startAuthentication("ABCD1235", owner: Bench.owner)
      }
      await #expect(throws: Self.tooManyBytes) { try await bench.pair() }
      #expect(bench.platform.calls == calls)
      let push = try #require(try bench.receive())
      #expect(push.state == .pending)
      _ = try await authenticator.makePayload(for: Self.other)
      // What is over makes room.
      bench.clock.pass(.seconds(121))
      _ = try await authenticator.makePayload(for: Bench.owner)
      #expect(try store.measuredBytes(of: Bench.owner) < 1 << 16)
    }
  }

  @Test("cancellations that come before their pushes are remembered up to a number")
  func cancellations() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let store = bench.authenticator.store
      try store.fillCancellations(of: Bench.owner, count: Store.cancellationLimit)
      #expect(try store.cancellationCount() == Store.cancellationLimit)
      #expect(try bench.receive(["type": "cancel", "cancels": "the-last"]) == nil)
      #expect(try store.cancellationCount() == Store.cancellationLimit)
      #expect(try bench.receive(["jti": "the-last"])?.state == .cancelled)
      #expect(try bench.receive(["jti": "c-2"])?.state == .cancelled)
      #expect(try bench.receive(["jti": "c-1"])?.state == .pending)
    }
  }
}

extension Store {
  fileprivate func enlarge(_ code: String, by count: Int) throws {
    try database.run(
      "UPDATE authentication SET content = zeroblob(length(content) + ?) WHERE id = ?",
      SQLValue(count),
      .text(code)
    )
    usedBytes = [:]
  }

  fileprivate func enlargeSettled(of owner: uid_t, by count: Int) throws {
    try database.run(
      """
      UPDATE notification SET content = zeroblob(length(content) + ?2 /
        (SELECT count(*) FROM notification WHERE owner = ?1 AND state = 'expired'))
      WHERE owner = ?1 AND state = 'expired'
      """,
      SQLValue(owner),
      SQLValue(count)
    )
    usedBytes = [:]
  }

  fileprivate func fillCancellations(of owner: uid_t, count: Int) throws {
    try database.run(
      """
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2)
      INSERT INTO cancelled_push SELECT identity.id, 'c-' || n, 'u-1', 9e15 FROM number JOIN identity
      WHERE identity.owner = ?1 ORDER BY n
      """,
      SQLValue(owner),
      SQLValue(count)
    )
  }

  fileprivate func cancellationCount() throws -> Int {
    try database.row("SELECT count(*) FROM cancelled_push") { $0.int(0) } ?? 0
  }
}
