internal import EventLoop
internal import Glibc
internal import Time

/// How often an owner may change something: a bucket that fills again.
@EventLoop
final class WriteLimits {
  private static let perSecond = 20.0
  private static let burst = 100.0

  private let time: TimeSource
  private var buckets: [uid_t: (level: Double, at: Duration)] = [:]

  init(time: TimeSource) { self.time = time }

  /// Takes one write; when there is none left, the seconds after which there is again.
  func waitBeforeWrite(of owner: uid_t) -> Int? {
    let now = time.uptime()
    let bucket = buckets[owner] ?? (Self.burst, now)
    let passed = now - bucket.at
    // Not rounded: a burst of requests each of which takes less than a millisecond would find more room than there is.
    let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    let level = min(Self.burst, bucket.level + seconds * Self.perSecond)
    guard level >= 1 else { return 1 }
    buckets[owner] = (level - 1, now)
    return nil
  }
}
