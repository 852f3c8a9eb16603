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

@testable import Vault

@Suite("Audit", .timeLimit(.minutes(30)))
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
    try bench.audit.entries(of: owner, page: page()).reversed().map {
      "\($0.method) \($0.target ?? "-") \($0.outcome)"
    }
  }

  @Test("entries are listed by owner in pages, newest first; root sees all")
  func pages() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let life = bench.life
      for number in 0..<9 {
        life.audit.record(
          "m",
          target: "t\(number)",
          outcome: "ok",
          owner: number % 3 == 0 ? 7 : Bench.owner
        )
      }
      let own = try life.audit.entries(of: Bench.owner, page: Self.page())
      #expect(own.map(\.target) == ["t8", "t7", "t5", "t4", "t2", "t1"])
      #expect(own.allSatisfy { $0.owner == Bench.owner && $0.at == bench.clock.now })
      let first = try life.audit.entries(of: Bench.owner, page: Self.page(4))
      let rest = try life.audit.entries(of: Bench.owner, page: Self.page(4, before: first[3].id))
      #expect(first + rest == own)
      #expect(try life.audit.entries(of: Bench.owner, page: Self.page(before: own[5].id)).isEmpty)
      let all = try life.audit.entries(of: nil, page: Self.page(5))
      #expect(all.map(\.target) == ["t8", "t7", "t6", "t5", "t4"])
      #expect(try life.audit.entries(of: nil, page: Self.page(before: all[2].id)).count == 6)
      // Entries of another owner are not found.
      for id in [all[2].id, "nothing"] {
        #expect(throws: RPCError.noSuch("entry")) {
          try life.audit.entries(of: Bench.owner, page: Self.page(before: id))
        }
      }
    }
  }

  @Test(
    "entries are committed per loop iteration and deleted by age and number"
  )
  func retention() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nretention_days = 2", inMemory: true)
      for number in 0..<20 {
        bench.audit.record("m", target: "t\(number)", outcome: "ok", owner: Bench.owner)
        bench.audit.record("m", target: "t\(number)", outcome: "ok", owner: 7)
      }
      try bench.vault.commit()
      let reader = try Database(path: bench.statePath + "/mfad.db")
      #expect(try reader.row("SELECT count(*) FROM audit") { $0.int(0) } == 40)
      try bench.vault.trimAudit(of: Bench.owner, to: 5)
      #expect(try Self.entries(bench) == (15..<20).map { "m t\($0) ok" })
      #expect(try Self.entries(bench, of: 7).count == 20)
      bench.clock.pass(.seconds(2 * 86_400))
      bench.audit.record("m", target: "late", outcome: "ok", owner: 7)
      bench.clock.pass(.seconds(60))
      bench.retention.start()
      #expect(try Self.entries(bench, of: nil) == ["m late ok"])
    }
  }

  @Test("the newest entries of each owner are kept up to the limit")
  func limit() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let vault = bench.vault
      try vault.fillAudit(of: Bench.owner, count: Vault.auditLimit + 300)
      try vault.fillAudit(of: 7, count: 10)
      for _ in 0..<256 { bench.audit.record("m", target: nil, outcome: "ok", owner: Bench.owner) }
      #expect((Vault.auditLimit...Vault.auditLimit + 256).contains(try vault.auditCount(of: Bench.owner)))
      #expect(try vault.auditCount(of: 7) == 10)
    }
  }

  @Test("old entries are deleted in batches")
  func pieces() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let vault = bench.vault
      try vault.fillAudit(of: 7, count: 10)
      try vault.fillAudit(of: Bench.owner, count: 1000)
      bench.retention.start()
      let left = try vault.auditCount(of: Bench.owner)
      #expect(try vault.auditCount(of: 7) == 0)
      #expect((1000 - Retention.piece..<1000).contains(left))
      // A second start continues the running deletion.
      bench.retention.start()
      #expect(try vault.auditCount(of: Bench.owner) == left)
      bench.timers.fire()
      #expect(try vault.auditCount(of: Bench.owner) == 0)
    }
  }

  @Test("an action stays valid if its audit entry cannot be written")
  func failure() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let vault = bench.vault
      try vault.database.executeScript("ALTER TABLE audit RENAME TO elsewhere")
      bench.audit.record("m", target: nil, outcome: "ok", owner: Bench.owner)
      try await bench.pair()
      let push = try #require(try bench.receive(["type": "silent"]))
      await settle()
      #expect(try bench.state(of: push.id) == .approved)
      try vault.database.executeScript("ALTER TABLE elsewhere RENAME TO audit")
      #expect(try Self.entries(bench).isEmpty)
    }
  }
}

extension Vault {
  fileprivate func fillAudit(of owner: uid_t, count: Int) throws {
    try database.run(
      """
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2)
      INSERT INTO audit (id, owner, at, method, outcome, link)
        SELECT ?1 || '-' || n, ?1, 0, 'm', 'ok', x'' FROM number
      """,
      SQLValue(owner),
      SQLValue(count)
    )
  }

  fileprivate func auditCount(of owner: uid_t) throws -> Int {
    try database.row("SELECT count(*) FROM audit WHERE owner = ?", SQLValue(owner)) { $0.int(0) } ?? 0
  }
}
