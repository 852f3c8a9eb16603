import Accounts
import ControlAPI
import EventLoop
import Glibc
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("Counted operations in the audit", .timeLimit(.minutes(30)))
struct AuditCountsTests {
  /// Returns a bench with an owner and no uncommitted changes.
  @EventLoop
  private static func bench() throws -> Bench {
    let bench = try Bench(inMemory: true)
    try bench.owners.enter(Bench.owner)
    try bench.vault.commit()
    return bench
  }

  @EventLoop
  private static func count(_ number: Int, _ bench: Bench) {
    for _ in 0..<number { bench.audit.count("m", target: "a", owner: Bench.owner) }
  }

  @EventLoop
  private static func outcomes(_ bench: Bench) throws -> [String] {
    try bench.audit.entries(of: Bench.owner, page: AuditList().page).reversed().map(\.outcome)
  }

  @Test("a count causes no commit; the first other commit in an hour and the end of the hour write it")
  func commits() async throws {
    try await TestLoop.run {
      let bench = try Self.bench()
      Self.count(3, bench)
      #expect(!bench.vault.hasUncommittedChanges)
      bench.record(1, of: [Bench.owner])
      try bench.vault.commit()
      #expect(try Self.outcomes(bench) == ["ok", "COUNT_3"])
      Self.count(2, bench)
      bench.record(2, of: [Bench.owner])
      try bench.vault.commit()
      #expect(try Self.outcomes(bench) == ["ok", "COUNT_3", "ok"])
      await bench.pass(.seconds(3600))
      try bench.vault.commit()
      #expect(try Self.outcomes(bench) == ["ok", "COUNT_3", "ok", "COUNT_2"])
      #expect(try await bench.verification().isSound)
      await bench.pass(.seconds(3600))
      #expect(!bench.vault.hasUncommittedChanges && bench.timers.delays.isEmpty)
    }
  }

  @Test("a clean stop writes the counts, and a crash loses them")
  func stops() async throws {
    try await TestLoop.run {
      let bench = try Self.bench()
      Self.count(1, bench)
      try bench.life.core.finish()
      try bench.crash()
      Self.count(2, bench)
      try bench.crash()
      #expect(try Self.outcomes(bench) == ["COUNT_1"])
    }
  }

  @Test("a count that could not be stored is written later")
  func failure() async throws {
    try await TestLoop.run {
      let bench = try Self.bench()
      let (file, away) = (bench.statePath + "/mfad.db", bench.statePath + "/away")
      Self.count(2, bench)
      bench.audit.writeCounts()
      #expect(rename(file, away) == 0)
      #expect(throws: (any Error).self) { try bench.vault.commit() }
      #expect(rename(away, file) == 0)
      Self.count(1, bench)
      await bench.pass(.seconds(3600))
      try bench.vault.commit()
      #expect(try Self.outcomes(bench) == ["COUNT_3"])
    }
  }

  @Test("the count of a removed object is written with the removal, and then forgotten")
  func removal() async throws {
    try await TestLoop.run {
      let bench = try Self.bench()
      Self.count(3, bench)
      bench.audit.writeCounts()
      try bench.vault.commit()
      Self.count(2, bench)
      bench.audit.endCount(of: "a", owner: Bench.owner)
      try bench.vault.commit()
      #expect(try Self.outcomes(bench) == ["COUNT_3", "COUNT_2"])
      // The hour of a new object with the same id begins again.
      Self.count(1, bench)
      bench.record(1, of: [Bench.owner])
      try bench.vault.commit()
      #expect(try Self.outcomes(bench) == ["COUNT_3", "COUNT_2", "ok", "COUNT_1"])
    }
  }

  @Test("removing an account writes the number of its passcodes")
  func account() async throws {
    try await TestLoop.run {
      let bench = try Self.bench()
      let account = try await bench.pair().account
      bench.audit.count("passcode.get", target: account, owner: Bench.owner)
      bench.record(1, of: [Bench.owner])
      try bench.vault.commit()
      bench.audit.count("passcode.get", target: account, owner: Bench.owner)
      _ = try await bench.accounts.remove(account, localOnly: true, owner: Bench.owner)
      try bench.vault.commit()
      #expect(try Self.outcomes(bench).filter { $0.hasPrefix("COUNT") } == ["COUNT_1", "COUNT_1"])
    }
  }

  @Test("an erased owner leaves no count")
  func erasure() async throws {
    try await TestLoop.run {
      let bench = try Self.bench()
      Self.count(1, bench)
      try await bench.owners.erase(Bench.owner)
      await bench.pass(.seconds(3600))
      try bench.vault.commit()
      #expect(try Self.outcomes(bench).isEmpty)
    }
  }
}
