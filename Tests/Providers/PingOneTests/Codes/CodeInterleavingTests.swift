import EventLoop
import Fixtures
import Interleaving
import TestLoop
import TestPlatform
import Testing

@Suite("decisions on a code under random interleavings", .timeLimit(.minutes(Seeds.scaled(30))))
struct CodeInterleavingTests {
  @Test("a code is decided once and keeps that decision", arguments: 0..<12)
  func interleavings(block: Int) async throws {
    try await CodeScenario.play(block: block, of: 20) {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      return bench
    }
  }
}
