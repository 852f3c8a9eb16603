import EventLoop
import TestLoop
import TestPlatform
import Testing
import Vault

@Suite("Data kept on reinstall", .timeLimit(.minutes(30)))
struct KeepingTests {
  @Test("keepOnReinstall is stored per owner, also without configuration")
  func keeping() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      #expect(try bench.vault.keptOwners == [])
      try bench.owners.setKeepsOnReinstall(true, owner: 1002)
      try bench.owners.setKeepsOnReinstall(true, owner: 1001)
      try bench.crash()
      #expect(try bench.vault.keptOwners == [1001, 1002])
      try bench.owners.setKeepsOnReinstall(false, owner: 1001)
      #expect(try bench.vault.keptOwners == [1002])
    }
  }
}
