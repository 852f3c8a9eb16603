import EventLoop
import Fixtures
import Interleaving
import TestLoop
import TestPlatform
import Testing

@Suite("Deciding on a code, whatever happens in whatever order", .timeLimit(.minutes(Seeds.scaled(30))))
struct CodeInterleavingTests {
  @Test("a code is decided once, as somebody decided it, and stays so", arguments: 0..<12)
  func interleavings(block: Int) async throws {
    try await CodeScenario.play(block: block, of: 20) {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      return bench
    }
  }
}
