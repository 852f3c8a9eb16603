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
    // The locked memory, which has to be enough for what is remembered, belongs to the process.
    await #expect(processExitsWith: .success) { try await Self.play() }
  }

  private static func play() async throws {
    let owners: Range<uid_t> = 10_000..<10_000 + uid_t(Seeds.scaled(50))
    // As much for each of those who are remembered, however many owners there are.
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
        // The platform has looked at its signature.
        #expect(bench.platform.decisions.count == count + 1)
        #expect(try await !bench.payloads.make(for: owner).mobilePayload.isEmpty)
      }
      #expect(SecretMemory.holdsAll)
      // The library has room of its own for what it works with.
      for _ in 0..<100 { _ = try PrivateKey.generateP256() }
      #expect(try bench.owners.all().count == owners.count)
      // Who comes after all of them is paired as they were, and the first are still whom they were.
      try await bench.pair(owners.upperBound)
      #expect(try bench.passcode(owner: owners.lowerBound).current.passcode.count == 6)
    }
  }
}
