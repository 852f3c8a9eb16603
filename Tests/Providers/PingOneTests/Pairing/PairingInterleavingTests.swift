import EventLoop
import Fixtures
import Interleaving
import TestLoop
import TestPlatform
import Testing

@Suite("pairing under random interleavings", .timeLimit(.minutes(Seeds.scaled(30))))
struct PairingInterleavingTests {
  @Test("active accounts are bound at the platform too, and no pairing request is lost", arguments: 0..<10)
  func interleavings(block: Int) async throws {
    try await PairingScenario.play(block: block, of: 40) { try Bench(inMemory: true) }
  }
}
