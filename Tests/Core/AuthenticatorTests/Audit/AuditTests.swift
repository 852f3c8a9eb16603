import ControlAPI
import EventLoop
import Glibc
import Interleaving
import JSON
import JSONRPC
import SQLite
import TestLoop
import Testing

@testable import Authenticator

@Suite("The audit", .timeLimit(.minutes(10)))
struct AuditTests {
  @EventLoop
  private static func page(_ limit: Int = 50, before id: String? = nil) throws -> Page {
    try AuditList(
      parsing: id.map { ["limit": .int(limit), "before": .string($0)] } ?? ["limit": .int(limit)]
    )
    .page
  }

  @EventLoop
  private static func entries(_ bench: Bench, of owner: uid_t? = Bench.owner) throws -> [String] {
    try bench.authenticator.auditEntries(of: owner, page: page()).reversed().map {
      "\($0.method) \($0.target ?? "-") \($0.outcome)"
    }
  }

  @Test("entries are their owner's, the newest first and in pages; root's list has everybody's")
  func pages() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let authenticator = bench.authenticator
      for number in 0..<9 {
        authenticator.audit(
          "m",
          target: "t\(number)",
          outcome: "ok",
          owner: number % 3 == 0 ? 7 : Bench.owner
        )
      }
      let own = try authenticator.auditEntries(of: Bench.owner, page: Self.page())
      #expect(own.map(\.target) == ["t8", "t7", "t5", "t4", "t2", "t1"])
      #expect(own.allSatisfy { $0.owner == Bench.owner && $0.at == bench.clock.now })
      let first = try authenticator.auditEntries(of: Bench.owner, page: Self.page(4))
      let rest = try authenticator.auditEntries(of: Bench.owner, page: Self.page(4, before: first[3].id))
      #expect(first + rest == own)
      #expect(try authenticator.auditEntries(of: Bench.owner, page: Self.page(before: own[5].id)).isEmpty)
      let all = try authenticator.auditEntries(of: nil, page: Self.page(5))
      #expect(all.map(\.target) == ["t8", "t7", "t6", "t5", "t4"])
      #expect(try authenticator.auditEntries(of: nil, page: Self.page(before: all[2].id)).count == 6)
      // Another owner's entry is none.
      for id in [all[2].id, "nothing"] {
        #expect(throws: RPCError.notFound) {
          try authenticator.auditEntries(of: Bench.owner, page: Self.page(before: id))
        }
      }
    }
  }

  @Test("an entry is on the disk at once, goes after its time, and the oldest go when there are too many")
  func retention() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nretention_days = 2", inMemory: true)
      for number in 0..<20 {
        bench.authenticator.audit("m", target: "t\(number)", outcome: "ok", owner: Bench.owner)
        bench.authenticator.audit("m", target: "t\(number)", outcome: "ok", owner: 7)
      }
      let reader = try Database(path: bench.statePath + "/mfad.db")
      #expect(try reader.row("SELECT count(*) FROM audit") { $0.int(0) } == 40)
      try bench.authenticator.store.trimAudit(of: Bench.owner, to: 5)
      #expect(try Self.entries(bench) == (15..<20).map { "m t\($0) ok" })
      #expect(try Self.entries(bench, of: 7).count == 20)
      bench.clock.pass(.seconds(2 * 86_400))
      bench.authenticator.audit("m", target: "late", outcome: "ok", owner: 7)
      bench.clock.pass(.seconds(60))
      bench.authenticator.startPurging()
      #expect(try Self.entries(bench, of: nil) == ["m late ok"])
    }
  }

  @Test("of more entries than are kept the newest are kept, whoever's they are")
  func limit() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let store = bench.authenticator.store
      try store.fillAudit(of: Bench.owner, count: Store.auditLimit + 300)
      try store.fillAudit(of: 7, count: 10)
      for _ in 0..<256 { bench.authenticator.audit("m", target: nil, outcome: "ok", owner: Bench.owner) }
      #expect((Store.auditLimit...Store.auditLimit + 256).contains(try store.auditCount(of: Bench.owner)))
      #expect(try store.auditCount(of: 7) == 10)
    }
  }

  @Test("what was done stays done when its entry cannot be written")
  func failure() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let store = bench.authenticator.store
      try store.database.executeScript("ALTER TABLE audit RENAME TO elsewhere")
      bench.authenticator.audit("m", target: nil, outcome: "ok", owner: Bench.owner)
      try await bench.pair()
      let push = try #require(try bench.receive(["type": "silent"]))
      await settle()
      #expect(try bench.state(of: push.id) == .approved)
      try store.database.executeScript("ALTER TABLE elsewhere RENAME TO audit")
      #expect(try Self.entries(bench).isEmpty)
    }
  }

  @Test("a silent push that was answered leaves an entry, and one that could not be too")
  func silent() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let push = try #require(try bench.receive(["type": "silent"]))
      await settle()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.deviceMismatch) }
      let other = try #require(try bench.receive(["type": "silent"]))
      await settle()
      #expect(
        try Self.entries(bench) == [
          "daemon.answerSilently \(push.id) ok", "daemon.answerSilently \(other.id) DEVICE_MISMATCH",
        ]
      )
    }
  }

  @Test("an answer that is heard late leaves one entry of its end, however often it was sent")
  func late() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let push = try #require(try bench.receive())
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .unreachable }
      await #expect(throws: PlatformError.unreachable) {
        try await bench.authenticator.approve(push.id, method: "user", number: nil, owner: Bench.owner)
      }
      for _ in 0..<3 { await bench.pass(.seconds(5)) }
      #expect(try Self.entries(bench).isEmpty)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(30))
      #expect(try bench.state(of: push.id) == .approved)
      #expect(try Self.entries(bench) == ["daemon.deliverAnswer \(push.id) ok"])
    }
  }

  @Test("a decision on a code that is heard late leaves one entry of its end, also after a crash")
  func lateCode() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let code = try await bench.authenticator.startAuthentication("AB12CD34", owner: Bench.owner)
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .unreachable }
      await #expect(throws: PlatformError.unreachable) {
        try await bench.authenticator.approveAuthentication(code.id, user: nil, owner: Bench.owner)
      }
      for _ in 0..<3 { await bench.pass(.seconds(5)) }
      try bench.crash()
      try bench.authenticator.resumeCodes()
      await bench.pass(.zero)
      #expect(try Self.entries(bench).isEmpty)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(30))
      #expect(try Self.entries(bench) == ["daemon.deliverDecision \(code.id) ok"])
    }
  }

  @Test("a pairing that is gone on with after a start leaves an entry")
  func resumed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let gate = Gate(bench.platform) { call, moment in call == .checkPasscode && moment == .reply }
      let pairing = EventLoop.task { try await bench.pair().account }
      await settle()
      #expect(gate.held.count == 1)
      gate.abandon()
      let id = try #require(try bench.authenticator.store.unfinishedPairings().first?.id)
      try bench.crash()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .unreachable }
      try await bench.authenticator.resumePairings()
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try await bench.authenticator.resumePairings()
      #expect(
        try Self.entries(bench) == [
          "daemon.resumePairing \(id) NO_CONNECTIVITY", "daemon.resumePairing \(id) ok",
        ]
      )
      pairing.cancel()
    }
  }
}

extension Store {
  fileprivate func fillAudit(of owner: uid_t, count: Int) throws {
    try database.run(
      """
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2)
      INSERT INTO audit (id, owner, at, method, outcome) SELECT ?1 || '-' || n, ?1, 0, 'm', 'ok' FROM number
      """,
      SQLValue(owner),
      SQLValue(count)
    )
  }

  fileprivate func auditCount(of owner: uid_t) throws -> Int {
    try database.row("SELECT count(*) FROM audit WHERE owner = ?", SQLValue(owner)) { $0.int(0) } ?? 0
  }
}
