import EventLoop
import Fixtures
import Interleaving
import TestLoop
import TestPlatform
import Testing

@Suite("Answering a push, whatever happens in whatever order", .timeLimit(.minutes(Seeds.scaled(30))))
struct InterleavingTests {
  @Test("a push is decided once, as somebody decided it, and stays so", arguments: 0..<20)
  func interleavings(block: Int) async throws {
    try await PushScenario.play(block: block, of: 45) {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      return bench
    }
  }
}
