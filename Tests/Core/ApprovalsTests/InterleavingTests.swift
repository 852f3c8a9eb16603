import EventLoop
import Fixtures
import Interleaving
import TestLoop
import TestPlatform
import Testing

@Suite("Answering a push, random interleavings", .timeLimit(.minutes(Seeds.scaled(30))))
struct InterleavingTests {
  @Test("a push gets one final state that matches a decision", arguments: 0..<20)
  func interleavings(block: Int) async throws {
    try await PushScenario.play(block: block, of: 45) {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      return bench
    }
  }
}
