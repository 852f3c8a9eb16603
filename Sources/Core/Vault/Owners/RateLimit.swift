internal import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
public import JSONRPC
public import Time

/// A rate limit for each owner: a token bucket.
@EventLoop
public final class RateLimit {
  private let perSecond: Double
  private let burst: Double
  private let time: TimeSource
  private var buckets: [uid_t: (level: Double, at: Duration)] = [:]

  /// Allows each owner `burst` uses at once, and `perSecond` uses in the long term.
  init(perSecond: Double, burst: Double, time: TimeSource) {
    (self.perSecond, self.burst, self.time) = (perSecond, burst, time)
  }

  /// Takes one token of an owner; throws if there is none.
  public func take(of owner: uid_t) throws(RPCError) {
    let now = time.uptime()
    let bucket = buckets[owner] ?? (burst, now)
    let passed = now - bucket.at
    // Not rounded to milliseconds, since requests in quick succession would then get too many tokens.
    let seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    let level = min(burst, bucket.level + seconds * perSecond)
    guard level >= 1 else {
      let wait = Int(((1 - level) / perSecond).rounded(.up))
      throw .rateLimited.with(["retryAfter": .int(max(1, wait))])
    }
    buckets[owner] = (level - 1, now)
  }
}

extension RateLimit {
  /// The rate limit of each owner's changes.
  public static func writes(time: TimeSource) -> RateLimit {
    RateLimit(perSecond: 20, burst: 100, time: time)
  }

  /// The rate limit of each owner's key derivations, right PINs included: they take 5 % of a core.
  static func derivations(time: TimeSource) -> RateLimit {
    RateLimit(perSecond: 0.5, burst: 30, time: time)
  }
}
