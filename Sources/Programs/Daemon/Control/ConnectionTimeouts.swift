/// Timeouts after which the daemon closes a connection that its client does not read, or does not use.
struct ConnectionTimeouts {
  /// Maximum time in which a client reads nothing of the data that is queued for it.
  static let progress = Duration.seconds(30)
  /// Maximum time without traffic on a connection that has no subscription.
  static let idle = Duration.seconds(600)
  /// Maximum time that a request waits for memory.
  static let memory = Duration.seconds(5)

  private var lastUse: Duration
  private var stuckSince: Duration?
  private var lastTakenCount = 0

  /// Starts the timeouts of a connection that was accepted at `now`.
  init(at now: Duration) { lastUse = now }

  /// Restarts the idle timeout: the client sent bytes, or read everything that was queued for it.
  mutating func noteUse(at now: Duration) { lastUse = now }

  /// True if the connection must be closed.
  ///
  /// The progress timeout starts when a check first finds the client stuck. A quiet period before that does
  /// not count.
  mutating func isExceeded(at now: Duration, isStuck: Bool, takenCount: Int, isUsed: Bool) -> Bool {
    guard isStuck else {
      stuckSince = nil
      return !isUsed && now - lastUse > Self.idle
    }
    guard let since = stuckSince, takenCount == lastTakenCount else {
      (stuckSince, lastTakenCount) = (now, takenCount)
      return false
    }
    return now - since > Self.progress
  }
}
