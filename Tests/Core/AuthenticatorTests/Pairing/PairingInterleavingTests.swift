import EventLoop
import TestLoop
import Testing

@Suite("Pairing, whatever happens in whatever order", .timeLimit(.minutes(2)))
struct PairingInterleavingTests {
  @Test("what is in force here is so on the platform, and no wish to pair is lost untold", arguments: 0..<10)
  func interleavings(block: Int) async throws {
    try await TestLoop.run {
      let task = EventLoop.task {
        let bench = try Bench(inMemory: true)
        for seed in 0..<40 { try await PairingScenario(UInt64(block * 1000 + seed), on: bench).run() }
      }
      try await task.value
    }
  }
}
