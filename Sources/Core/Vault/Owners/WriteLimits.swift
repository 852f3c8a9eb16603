internal import ControlAPI
package import EventLoop
package import Glibc
internal import JSON
package import JSONRPC
package import Time

/// How often an owner may change something: a bucket that fills again.
@EventLoop
package final class WriteLimits {
  private static let perSecond = 20.0
  private static let burst = 100.0

  private let time: TimeSource
  private var buckets: [uid_t: (level: Double, at: Duration)] = [:]

  package init(time: TimeSource) { self.time = time }

  /// Takes one write of an owner, or refuses it.
  package func take(of owner: uid_t) throws(RPCError) {
    let now = time.uptime()
    let bucket = buckets[owner] ?? (Self.burst, now)
    let passed = now - bucket.at
    // Not rounded: a burst of requests each of which takes less than a millisecond would find more room than there is.
    let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    let level = min(Self.burst, bucket.level + seconds * Self.perSecond)
    guard level >= 1 else { throw .rateLimited.with(["retryAfter": 1]) }
    buckets[owner] = (level - 1, now)
  }
}
