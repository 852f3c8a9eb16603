import EventLoop
import Fixtures
import Interleaving
import TestLoop
import TestPlatform
import Testing

@Suite("Pairing, whatever happens in whatever order", .timeLimit(.minutes(Seeds.scaled(30))))
struct PairingInterleavingTests {
  @Test("what is in force here is so on the platform, and no wish to pair is lost untold", arguments: 0..<10)
  func interleavings(block: Int) async throws {
    try await PairingScenario.play(block: block, of: 40) { try Bench(inMemory: true) }
  }
}
