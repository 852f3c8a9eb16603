import ControlAPI
import Glibc
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("Audit within a loop iteration", .timeLimit(.minutes(30)))
struct AuditTurnTests {
  @Test("entries of one loop iteration form a chain without rolled-back entries")
  func oneTurn() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      bench.record(0)
      for number in 1...3 {
        bench.record(number, of: [Bench.owner])
        #expect(throws: CancellationError.self) {
          try bench.vault.write { _ in
            bench.record(-number)
            throw CancellationError()
          }
        }
        bench.record(number, of: [Bench.owner])
      }
      #expect(try await bench.verification() == AuditVerification(entries: 7, isSound: true))
      try bench.crash()
      #expect(try await bench.verification(of: nil) == AuditVerification(entries: 8, isSound: true))
    }
  }

  @Test("entries before and after the loss of the key are sealed together")
  func keyGoes() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      for number in 0...1 { bench.record(number) }
      let (key, away) = (bench.statePath + "/key", bench.statePath + "/away")
      #expect(bench.vault.hasUncommittedChanges && rename(key, away) == 0)
      bench.vault.sealer.forgetKeys()
      bench.record(2)
      try bench.crash()
      #expect(rename(away, key) == 0)
      bench.record(3)
      #expect(try await bench.verification(of: nil) == AuditVerification(entries: 10, isSound: true))
    }
  }
}
