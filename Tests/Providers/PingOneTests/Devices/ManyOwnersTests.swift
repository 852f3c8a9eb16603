import EventLoop
import Glibc
import PingOne
import TestLoop
import TestPlatform
import Testing

@Suite("many owners at a start", .timeLimit(.minutes(30)))
struct ManyOwnersTests {
  @Test("at most eight owners are resumed per loop iteration")
  func turns() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let owners = (0..<20).map { Bench.owner + uid_t($0) }
      for owner in owners { try await bench.pair(owner) }
      try bench.crash()
      let resumption = EventLoop.task { try await bench.poller.resume() }
      var resumed = [0]
      while resumed.last != owners.count {
        try await EventLoop.sleep(for: .zero)
        resumed.append(try owners.count { try bench.isPolling(of: $0) })
      }
      try await resumption.value
      #expect(zip(resumed, resumed.dropFirst()).allSatisfy { $1 - $0 <= 8 }, "\(resumed)")
    }
  }
}
