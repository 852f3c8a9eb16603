import EventLoop
import TestLoop
import Testing

@Suite("Answering a push, whatever happens in whatever order", .timeLimit(.minutes(5)))
struct InterleavingTests {
  @Test("a push is decided once, as somebody decided it, and stays so", arguments: 0..<20)
  func interleavings(block: Int) async throws {
    try await TestLoop.run {
      // A task of the loop's own does not change threads at each step.
      let task = EventLoop.task {
        let bench = try Bench(inMemory: true)
        try await bench.pair()
        for seed in 0..<45 { try await PushScenario(UInt64(block * 1000 + seed), on: bench).run() }
      }
      try await task.value
    }
  }
}
