import Approvals
import ControlAPI
import EventLoop
import Fixtures
import Glibc
import JSON
import OpenSSL
import PingOne
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("Many paired owners", .timeLimit(.minutes(60)))
struct ManyIdentitiesTests {
  @Test("every paired owner can approve after a crash within the locked memory")
  func decisions() async {
    // The locked memory must be large enough for the caches and belongs to the process.
    await #expect(processExitsWith: .success) { try await Self.play() }
  }

  private static func play() async throws {
    let owners: Range<uid_t> = 10_000..<10_000 + uid_t(Seeds.scaled(50))
    // 512 bytes per cached owner. The caches hold at most 1024 owners.
    #expect(SecretMemory.lock(bytes: 512 * min(owners.count, 1024)))
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      for owner in owners { try await bench.pair(owner) }
      try bench.crash()
      for (count, owner) in owners.enumerated() {
        let push = try bench.push(["aud": .string(bench.platform.device(of: owner))])
        let shown = try #require(try bench.pushes.process(.string(push), owner: owner))
        let result = try await bench.approvals.approve(shown.id, method: "user", number: nil, owner: owner)
        #expect(result.notification.state == .approved)
        // The platform has verified the signature.
        #expect(bench.platform.decisions.count == count + 1)
        #expect(try await !bench.payloads.make(for: owner).mobilePayload.isEmpty)
      }
      #expect(SecretMemory.holdsAll)
      // OpenSSL has separate locked memory for its keys.
      for _ in 0..<100 { _ = try PrivateKey.generateP256() }
      #expect(try bench.owners.all().count == owners.count)
      // Another owner can be paired, and the first owner still has a passcode.
      try await bench.pair(owners.upperBound)
      #expect(try bench.passcode(owner: owners.lowerBound).current.passcode.count == 6)
    }
  }
}
