import ControlAPI
import EventLoop
import Fixtures
import Glibc
import SQLite
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("Cost of erasures", .timeLimit(.minutes(30)))
struct ErasureCostTests {
  /// Number of entries of a long audit.
  @EventLoop private static let count = 8 * Retention.piece

  @Test("erasing an owner without data writes nothing and does not truncate the WAL")
  func nothing() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      _ = try bench.vault.sealer.makeDataKey(SealLabel("test.data_key", row: "", owner: Bench.owner))
      let audit = bench.life.audit
      @EventLoop func erase(_ owner: uid_t) async throws {
        try await bench.owners.erase(owner)
        audit.record("device.removeLocalData", target: nil, outcome: AuditEntry.done, owner: owner)
        try bench.vault.commit()
      }
      try await erase(Bench.owner)
      // The WAL cannot be truncated during a read transaction.
      let reader = try Database(path: bench.statePath + "/mfad.db")
      try reader.run("BEGIN")
      _ = try reader.row("SELECT count(*) FROM owner") { $0.int(0) }
      for owner in [Bench.owner, 4000] {
        for _ in 0..<3 { try await erase(owner) }
        #expect(try bench.vault.auditEntries(of: owner, before: nil, limit: 10).count >= 3)
        // An audit entry of another operation is data to erase, so the erasure must truncate the WAL.
        audit.record("account.remove", target: nil, outcome: AuditEntry.done, owner: owner)
        await #expect(throws: SQLiteError.self) { try await erase(owner) }
      }
      try reader.run("ROLLBACK")
      for owner in [Bench.owner, 4000] {
        try await erase(owner)
        #expect(try bench.vault.auditEntries(of: owner, before: nil, limit: 10).count == 1)
      }
    }
  }

  @Test("concurrent erasures of one owner run once and share the result")
  func again() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try bench.owners.enter(Bench.owner)
      var (erasures, answers) = (0, 0)
      bench.owners.whenErased { _ in erasures += 1 }
      let tries = (0..<20).map { _ in EventLoop.task { try await bench.owners.erase(Bench.owner) } }
      for each in tries {
        try await each.value
        answers += 1
      }
      #expect((erasures, answers) == (1, 20))
    }
  }

  @Test("concurrent erasures share one WAL truncation and its result")
  func together() async throws {
    try await TestLoop.run {
      let clock = TestClock()
      let timers = TestTimers(clock)
      var outcomes: [Result<Void, SQLiteError>] = [.success(()), .failure(SQLiteError(.busy)), .success(())]
      let log = WALTruncation(after: { timers.add($0, $1) }) { try outcomes.removeFirst().get() }
      for round in 0..<3 {
        var waiting = 0
        let waits = (0..<20).map { _ in
          EventLoop.task {
            waiting += 1
            try await log.finished()
          }
        }
        // The number of tasks that run per loop iteration depends on the machine.
        while waiting < waits.count { await TestLoop.turn() }
        // Longer than the pause between truncations, shorter than the delay after a failure.
        clock.pass(.seconds(20))
        timers.fire()
        for wait in waits {
          if round == 1 {
            await #expect(throws: SQLiteError.self) { try await wait.value }
          } else {
            try await wait.value
          }
        }
        #expect(outcomes.count == 2 - round)
      }
    }
  }
  @Test("a long audit is erased in batches before the other data")
  func longAudit() async throws {
    try await TestLoop.run {
      let bench = try Self.audited(Self.count)
      let erasure = EventLoop.task { try await bench.owners.erase(Bench.owner) }
      var (before, steps) = (try bench.vault.audited(Bench.owner), 0)
      while before > 0 {
        await TestLoop.turn()
        let now = try bench.vault.audited(Bench.owner)
        #expect(before - now <= Retention.piece)
        (before, steps) = (now, steps + 1)
      }
      try await erasure.value
      #expect(steps >= Self.count / Retention.piece)
      #expect(try bench.vault.owners().isEmpty && bench.audit.verifier.head() == Self.count)
    }
  }

  @Test(
    "an erasure that fails within a long audit keeps other data and can be repeated"
  )
  func refused() async throws {
    try await TestLoop.run {
      let bench = try Self.audited(Self.count)
      let erasure = EventLoop.task { try await bench.owners.erase(Bench.owner) }
      while try bench.vault.audited(Bench.owner) == Self.count { await TestLoop.turn() }
      try bench.vault.commit()
      let writer = try Database(path: bench.statePath + "/mfad.db")
      try writer.begin()
      await #expect(throws: SQLiteError.self) { try await erasure.value }
      writer.rollBack()
      // The remaining chain verifies, like after deletion by age.
      let left = try bench.vault.audited(Bench.owner)
      #expect(left > 0 && left < Self.count)
      let verification = try await bench.audit.verifier.verify(Bench.owner)
      #expect(verification == AuditVerification(entries: left, isSound: true))
      #expect(try bench.vault.owners().map(\.uid) == [Bench.owner])
      try await bench.owners.erase(Bench.owner)
      #expect(try bench.vault.owners().isEmpty && bench.vault.audited(Bench.owner) == 0)
    }
  }

  /// Returns a bench with `count` audit entries of the owner.
  @EventLoop
  private static func audited(_ count: Int) throws -> Bench {
    let bench = try Bench(inMemory: true)
    try bench.owners.enter(Bench.owner)
    for _ in 0..<count { bench.life.audit.record("m", target: nil, outcome: "ok", owner: Bench.owner) }
    try bench.vault.commit()
    return bench
  }
}

extension Vault {
  fileprivate func audited(_ owner: uid_t) throws -> Int {
    try database.row("SELECT count(*) FROM audit WHERE owner = ?", SQLValue(owner)) { $0.int(0) } ?? 0
  }
}
