import Glibc

/// The clocks of the program; tests pass their own.
public struct TimeSource: Sendable {
  /// Reads the wall clock, which users and administrators may set.
  public var now: @Sendable () -> Timestamp
  /// Reads the time since boot, which never goes back and includes suspend.
  public var uptime: @Sendable () -> Duration

  /// A source from two clocks.
  public init(now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration) {
    self.now = now
    self.uptime = uptime
  }

  /// The clocks of the system: CLOCK_REALTIME and CLOCK_BOOTTIME.
  public static let system = TimeSource(
    now: {
      let (seconds, nanoseconds) = read(CLOCK_REALTIME)
      return Timestamp(milliseconds: Int64(seconds) * 1000 + Int64(nanoseconds / 1_000_000))
    },
    uptime: {
      let (seconds, nanoseconds) = read(CLOCK_BOOTTIME)
      return .seconds(seconds) + .nanoseconds(nanoseconds)
    }
  )

  private static func read(_ clock: clockid_t) -> (seconds: Int, nanoseconds: Int) {
    var time = timespec()
    clock_gettime(clock, &time)
    return (time.tv_sec, time.tv_nsec)
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up, so that a wait is never too short.
  public var millisecondsRoundedUp: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }

  /// The duration in whole seconds, rounded down.
  public var wholeSeconds: Int { Int(components.seconds) }
}
