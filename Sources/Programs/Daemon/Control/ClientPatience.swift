/// When a client is given up: it does not take what is sent to it, or nobody uses its connection.
struct ClientPatience {
  /// How long a client may take nothing of what waits for it.
  static let progress = Duration.seconds(30)
  /// How long a connection without subscription may lie unused.
  static let idle = Duration.seconds(600)
  /// How long a request may wait for memory.
  static let memory = Duration.seconds(5)

  private var lastUse: Duration
  private var stuckSince: Duration?
  private var lastTakenCount = 0

  /// Patience with a connection that begins now.
  init(at now: Duration) { lastUse = now }

  /// The client asked something or took all that it was sent.
  mutating func noteUse(at now: Duration) { lastUse = now }

  /// Whether the client is to be given up.
  ///
  /// What waits is counted from when the client is seen not to take it: an event that is about to leave after a
  /// quiet time is no fault of the client's.
  mutating func isOver(at now: Duration, isStuck: Bool, takenCount: Int, isUsed: Bool) -> Bool {
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
