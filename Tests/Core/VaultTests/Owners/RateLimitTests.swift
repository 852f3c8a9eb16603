import ControlAPI
import EventLoop
import JSON
import JSONRPC
import Synchronization
import TestLoop
import Testing
import Time

@testable import Vault

@Suite("Rate limits")
struct RateLimitTests {
  @Test("each owner may write 100 times at once, then 20 times per second")
  func bucket() async throws {
    try await TestLoop.run {
      let uptime = Mutex(Duration.seconds(5))
      let time = TimeSource(now: { Timestamp(seconds: 0) }, uptime: { uptime.withLock { $0 } })
      let limits = RateLimit.writes(time: time)
      @EventLoop func writes(of owner: UInt32) -> Int {
        var count = 0
        while count < 1000 {
          do { try limits.take(of: owner) } catch {
            #expect(error.code == 11006)
            break
          }
          count += 1
        }
        return count
      }
      #expect(writes(of: 1000) == 100)
      #expect(writes(of: 1000) == 0)
      #expect(writes(of: 1001) == 100)
      for (passed, count) in [
        (.milliseconds(49), 0), (.milliseconds(1), 1), (.seconds(1), 20), (.seconds(3600), 100),
      ]
        as [(Duration, Int)]
      {
        uptime.withLock { $0 += passed }
        #expect(writes(of: 1000) == count, "\(passed)")
      }
    }
  }
  @Test("each owner may derive 30 keys at once, then one in two seconds; the error has the wait")
  func derivations() async throws {
    try await TestLoop.run {
      let uptime = Mutex(Duration.seconds(5))
      let time = TimeSource(now: { Timestamp(seconds: 0) }, uptime: { uptime.withLock { $0 } })
      let limit = RateLimit.derivations(time: time)
      for _ in 0..<30 { try limit.take(of: 1000) }
      for wait in [2, 1] {
        #expect(throws: RPCError.rateLimited.with(["retryAfter": .int(wait)])) { try limit.take(of: 1000) }
        uptime.withLock { $0 += .seconds(1) }
      }
      try limit.take(of: 1000)
    }
  }
}
