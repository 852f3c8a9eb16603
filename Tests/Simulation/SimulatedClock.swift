internal import Synchronization
internal import Time

/// The clocks of a simulated machine.
///
/// The civil clock can be set to a wrong time.
final class SimulatedClock: Sendable {
  private struct Reading {
    var uptime = SimulatedClock.beginning
    /// Civil time, in seconds, at an uptime of zero.
    var boot = SimulatedClock.start
    var setAt: Duration?
  }

  private static let start = 1_800_000_000
  /// Uptime at the beginning of a run.
  static let beginning = Duration.seconds(1000)
  private let reading = Mutex(Reading())

  var uptime: Duration { reading.withLock { $0.uptime } }

  /// Time of the machine's civil clock.
  var now: Timestamp { Self.instant(reading.withLock { ($0.boot, $0.uptime) }) }

  /// Uptime at which the civil clock was last set.
  var setAt: Duration? { reading.withLock { $0.setAt } }

  /// The true time, which the platform uses.
  var truth: Timestamp { Self.instant((Self.start, uptime)) }

  var source: TimeSource { TimeSource(now: { self.now }, uptime: { self.uptime }) }

  /// Advances all clocks.
  func pass(_ duration: Duration) { reading.withLock { $0.uptime += duration } }

  /// Sets the civil clock this many seconds off the true time.
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
