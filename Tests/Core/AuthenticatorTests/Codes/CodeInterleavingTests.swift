import EventLoop
import TestLoop
import Testing

@Suite("Deciding on a code, whatever happens in whatever order", .timeLimit(.minutes(2)))
struct CodeInterleavingTests {
  @Test("a code is decided once, as somebody decided it, and stays so", arguments: 0..<12)
  func interleavings(block: Int) async throws {
    try await TestLoop.run {
      let task = EventLoop.task {
        let bench = try Bench(inMemory: true)
        try await bench.pair()
        for seed in 0..<20 { try await CodeScenario(UInt64(block * 1000 + seed), on: bench).run() }
      }
      try await task.value
    }
  }
}
