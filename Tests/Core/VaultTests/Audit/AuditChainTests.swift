import ControlAPI
import EventLoop
import Glibc
import JSONRPC
import SQLite
import TestLoop
import TestPlatform
import Testing
import Time

@testable import Vault

@Suite("Audit chain", .timeLimit(.minutes(30)))
struct AuditChainTests {
  private static let other: uid_t = 7

  /// Returns a bench with two owners that have `count` entries each.
  @EventLoop
  private static func recorded(_ count: Int = 20) throws -> Bench {
    let bench = try Bench(inMemory: true)
    for number in 0..<count { bench.record(number) }
    return bench
  }

  @Test("recorded entries verify for their owner and for root")
  func sound() async throws {
    try await TestLoop.run {
      let bench = try Self.recorded()
      #expect(try await bench.verification() == AuditVerification(entries: 20, isSound: true))
      #expect(try await bench.verification(of: nil) == AuditVerification(entries: 40, isSound: true))
      #expect(try await bench.verification(of: 99) == AuditVerification(entries: 0, isSound: true))
      // A restart between two entries does not break the chain.
      try bench.crash()
      bench.record(20)
      #expect(try await bench.verification() == AuditVerification(entries: 21, isSound: true))
    }
  }

  @Test("a seal covers links in the text form of Swift arrays")
  func sealed() {
    for first in stride(from: UInt8(0), through: 224, by: 32) {
      let link = Array(first...first + 31)
      let chain = AuditChain(start: 3, checkpoint: AuditChain.noLink, count: 4, head: link)
      #expect(chain.sealed == ["3", "\(AuditChain.noLink)", "4", "\(link)"])
    }
  }

  @Test(
    "a changed column is reported with its entry",
    arguments: [
      "UPDATE audit SET method = 'n' WHERE owner = 1000 AND target = 't12'",
      "UPDATE audit SET target = NULL WHERE owner = 1000 AND target = 't12'",
      "UPDATE audit SET target = 't9' WHERE owner = 1000 AND target = 't12'",
      "UPDATE audit SET outcome = 'OK' WHERE owner = 1000 AND target = 't12'",
      "UPDATE audit SET at = at + 1 WHERE owner = 1000 AND target = 't12'",
      "UPDATE audit SET link = zeroblob(32) WHERE owner = 1000 AND target = 't12'",
    ] as [StaticString]
  )
  func changed(_ change: StaticString) async throws {
    try await TestLoop.run {
      let bench = try Self.recorded()
      let id = try bench.audit.entries(of: Bench.owner, page: Page(limit: 8)).last?.id
      try bench.tamper(change)
      let found = try await bench.verification()
      #expect(!found.isSound && found.entries == 13)
      #expect(found.brokenAt == id)
      #expect(try await bench.verification(of: Self.other).isSound)
      #expect(try await !bench.verification(of: nil).isSound)
      // Later entries do not repair the chain.
      bench.record(21)
      #expect(try await !bench.verification().isSound)
    }
  }

  @Test("a missing entry is detected by the next entry or by the seal")
  func missing() async throws {
    try await TestLoop.run {
      let middle = try Self.recorded()
      let entries = try middle.audit.entries(of: Bench.owner, page: Page(limit: 8))
      try middle.tamper("DELETE FROM audit WHERE owner = 1000 AND target = 't12'")
      #expect(try await middle.verification().brokenAt == entries[6].id)

      let end = try Self.recorded()
      try end.tamper("DELETE FROM audit WHERE owner = 1000 AND target IN ('t18', 't19')")
      #expect(try await end.verification() == AuditVerification(entries: 18, isSound: false))
      end.record(21)
      #expect(try await !end.verification().isSound)

      let all = try Self.recorded()
      try all.tamper("DELETE FROM audit WHERE owner = 1000")
      #expect(try await all.verification() == AuditVerification(entries: 0, isSound: false))
    }
  }

  @Test("entries relinked without the key do not verify")
  func forged() async throws {
    try await TestLoop.run {
      // One entry is changed, and all later links are recomputed.
      let relinked = try Self.recorded()
      try relinked.tamper("UPDATE audit SET outcome = 'DENIED' WHERE target = 't9'")
      try relinked.relink()
      #expect(try await relinked.verification() == AuditVerification(entries: 20, isSound: false))
      relinked.record(21)
      #expect(try await !relinked.verification().isSound)

      // The chain row is also changed or deleted, or all seals are deleted.
      for change in [
        "UPDATE audit_chain SET head = (SELECT link FROM audit WHERE owner = 1000 ORDER BY sequence DESC LIMIT 1)",
        "DELETE FROM audit_chain WHERE owner = 1000",
        "DELETE FROM audit_chain; UPDATE audit_total SET count = 0",
        "UPDATE audit_chain SET start = (SELECT max(sequence) FROM audit), checkpoint = head",
      ] as [StaticString] {
        let bench = try Self.recorded()
        try bench.tamper("UPDATE audit SET outcome = 'DENIED' WHERE target = 't9'")
        try bench.relink()
        try bench.tamper(change)
        #expect(try await !bench.verification().isSound, "\(change)")
        bench.record(21)
        #expect(try await !bench.verification().isSound, "\(change)")
        #expect(try await !bench.verification(of: nil).isSound, "\(change)")
      }
    }
  }

  @Test("entries older than deleted seals are not part of the new chain")
  func beginning() async throws {
    try await TestLoop.run {
      let bench = try Self.recorded()
      try bench.tamper("DELETE FROM audit_chain; UPDATE audit_total SET count = 0, seal = x''")
      bench.record(21)
      #expect(try await bench.verification() == AuditVerification(entries: 1, isSound: true))
    }
  }

  @Test("expired, trimmed and erased entries move the start of the chain")
  func checkpoints() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nretention_days = 2", inMemory: true)
      for number in 0..<20 { bench.record(number) }
      try bench.vault.trimAudit(of: Bench.owner, to: 5)
      #expect(try await bench.verification() == AuditVerification(entries: 5, isSound: true))
      bench.clock.pass(.seconds(2 * 86_400 + 60))
      for number in 20..<23 { bench.record(number) }
      bench.retention.start()
      #expect(try await bench.verification(of: nil) == AuditVerification(entries: 6, isSound: true))
      try await bench.owners.erase(Bench.owner)
      #expect(try await bench.verification() == AuditVerification(entries: 0, isSound: true))
      bench.record(23)
      #expect(try await bench.verification(of: nil) == AuditVerification(entries: 5, isSound: true))
      // Deleting the oldest remaining entry by hand is detected.
      try bench.tamper("DELETE FROM audit WHERE sequence = (SELECT min(sequence) FROM audit WHERE owner = 7)")
      #expect(try await bench.verification(of: Self.other).brokenAt != nil)
    }
  }

  @Test("a temporarily wrong clock neither keeps old entries nor deletes others")
  func clocks() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nretention_days = 2", inMemory: true)
      let now = bench.clock.now
      bench.record(0)
      bench.clock.set(now.adding(seconds: 400 * 86_400))
      bench.record(1)
      bench.clock.set(now.adding(seconds: 3 * 86_400))
      bench.record(2)
      bench.clock.set(now.adding(seconds: -400 * 86_400))
      bench.record(3)
      bench.clock.set(now.adding(seconds: 3 * 86_400))
      bench.record(4)
      bench.retention.start()
      let left = try bench.audit.entries(of: Bench.owner, page: Page(limit: 9)).compactMap(\.target)
      #expect(left == ["t4", "t3", "t2"])
      #expect(try await bench.verification() == AuditVerification(entries: 3, isSound: true))
    }
  }

  @Test("entries recorded without the key are sealed with a note once it is back")
  func keyless() async throws {
    try await TestLoop.run {
      let bench = try Self.recorded()
      let key = bench.statePath + "/key"
      let away = bench.statePath + "/away"
      try bench.vault.commit()
      try bench.crash()
      #expect(rename(key, away) == 0)
      for number in 20..<23 { bench.record(number) }
      let first = try bench.audit.entries(of: Bench.owner, page: Page(limit: 3)).last?.id
      await #expect(throws: RPCError.keyUnavailable.withCause(.keyMissing)) { try await bench.verification() }
      // No entry is deleted while the key is missing.
      bench.clock.pass(.seconds(40 * 86_400))
      bench.retention.start()
      #expect(try bench.audit.entries(of: Bench.owner, page: Page(limit: 50)).count == 23)
      #expect(rename(away, key) == 0)
      #expect(try await bench.verification() == AuditVerification(entries: 23, isSound: true))
      bench.record(23)
      let entries = try bench.audit.entries(of: Bench.owner, page: Page(limit: 2))
      #expect(entries.map(\.method) == ["m", "daemon.sealAudit"] && entries[1].target == first)
      #expect(try await bench.verification() == AuditVerification(entries: 25, isSound: true))
    }
  }

  @Test("the total of entries only grows and cannot be changed without the key")
  func head() async throws {
    try await TestLoop.run {
      let bench = try Self.recorded(0)
      #expect(try bench.audit.verifier.head() == 0)
      for number in 0..<3 { bench.record(number) }
      #expect(try bench.audit.verifier.head() == 6)
      try await bench.owners.erase(Bench.owner)
      bench.record(3)
      #expect(try bench.audit.verifier.head() == 8)
      try bench.tamper("UPDATE audit_total SET count = 6")
      #expect(try bench.audit.verifier.head() == nil)
    }
  }

  @Test("verification of many entries tolerates concurrent changes")
  func slices() async throws {
    try await TestLoop.run {
      let bench = try Self.recorded(3 * Vault.auditSlice)
      async let found = bench.verification()
      await TestLoop.turn()
      bench.record(-1)
      try bench.vault.trimAudit(of: Bench.owner, to: 2 * Vault.auditSlice)
      #expect(try await found == AuditVerification(entries: 2 * Vault.auditSlice, isSound: true))
    }
  }
}

extension Bench {
  /// Changes the file like an attacker without the key.
  @EventLoop
  fileprivate func tamper(_ script: StaticString) throws {
    try self.vault.commit()
    try Database(path: statePath + "/mfad.db").executeScript(script)
  }

  /// Recomputes all links of the owner from the current entries.
  @EventLoop
  fileprivate func relink() throws {
    let file = try Database(path: statePath + "/mfad.db")
    var link = AuditChain.noLink
    for entry in try self.vault.linkedEntries(of: Bench.owner, after: 0, limit: 100) {
      link = try AuditChain.link(after: link, entry.entry)
      try file.run("UPDATE audit SET link = ? WHERE id = ?", .blob(link), .text(entry.entry.id))
    }
  }
}
