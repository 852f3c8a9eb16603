internal import CLinux
internal import EventLoop

/// Whether the system's clock is kept right, as the kernel says it.
@EventLoop
final class SystemClock {
  private var known: (isSynchronized: Bool?, until: Duration)?

  // The kernel stirs its entropy pool at each question, which costs more than a whole status.
  private static let life = Duration.seconds(1)

  nonisolated init() {}

  /// Whether the clock is synchronised, at most a second old; `nil` when that cannot be told.
  func isSynchronized(at uptime: Duration) -> Bool? {
    if let known, known.until > uptime { return known.isSynchronized }
    let answer = clinux_clock_synchronized()
    let isSynchronized = answer < 0 ? nil : answer == 1
    known = (isSynchronized, uptime + Self.life)
    return isSynchronized
  }
}
