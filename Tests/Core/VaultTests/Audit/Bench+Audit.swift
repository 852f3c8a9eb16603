import ControlAPI
import EventLoop
import Glibc
import TestPlatform
import Vault

extension Bench {
  @EventLoop
  func record(_ number: Int, of owners: [uid_t] = [Bench.owner, 7]) {
    for owner in owners {
      self.audit.record("m", target: "t\(number)", outcome: "ok", owner: owner)
    }
  }

  @EventLoop
  func verification(of owner: uid_t? = Bench.owner) async throws -> AuditVerification {
    try await self.audit.verifier.verify(owner)
  }
}
