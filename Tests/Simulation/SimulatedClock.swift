internal import Synchronization
internal import Time

/// The clocks of a machine that only a history moves; the civil one can be set to what is not so.
final class SimulatedClock: Sendable {
  private struct Reading {
    var uptime = SimulatedClock.beginning
    /// What the civil clock shows when the machine has been up for no time.
    var boot = SimulatedClock.start
    var setAt: Duration?
  }

  private static let start = 1_800_000_000
  /// How long the machine was up when a history begins.
  static let beginning = Duration.seconds(1000)
  private let reading = Mutex(Reading())

  var uptime: Duration { reading.withLock { $0.uptime } }

  /// What the machine's civil clock shows.
  var now: Timestamp { Self.instant(reading.withLock { ($0.boot, $0.uptime) }) }

  /// When the civil clock was set last, by the other.
  var setAt: Duration? { reading.withLock { $0.setAt } }

  /// What the time is, which the platform knows.
  var truth: Timestamp { Self.instant((Self.start, uptime)) }

  var source: TimeSource { TimeSource(now: { self.now }, uptime: { self.uptime }) }

  /// Lets time pass on all clocks.
  func pass(_ duration: Duration) { reading.withLock { $0.uptime += duration } }

  /// Sets the civil clock so many seconds before or after the time that it is.
  func set(offBy seconds: Int) {
    reading.withLock { ($0.boot, $0.setAt) = (Self.start + seconds, $0.uptime) }
  }

  private static func instant(_ reading: (boot: Int, uptime: Duration)) -> Timestamp {
    let (seconds, attoseconds) = reading.uptime.components
    return Timestamp(
      milliseconds: Int64(reading.boot) * 1000 + seconds * 1000 + attoseconds / 1_000_000_000_000_000
    )
  }
}
