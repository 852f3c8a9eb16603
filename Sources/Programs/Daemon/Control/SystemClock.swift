internal import CLinux
internal import EventLoop

/// The synchronization state of the system clock, as reported by the kernel.
@EventLoop
final class SystemClock {
  private var known: (isSynchronized: Bool?, until: Duration)?

  // Results are cached, since each adjtimex(2) adds entropy to the kernel's pool, which takes longer than a
  // whole status reply.
  private static let life = Duration.seconds(1)

  nonisolated init() {}

  /// True if the clock was synchronized at the last check, at most one second ago; `nil` if unknown.
  func isSynchronized(at uptime: Duration) -> Bool? {
    if let known, known.until > uptime { return known.isSynchronized }
    let answer = clinux_clock_synchronized()
    let isSynchronized = answer < 0 ? nil : answer == 1
    known = (isSynchronized, uptime + Self.life)
    return isSynchronized
  }
}
