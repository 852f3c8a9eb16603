internal import EventLoop
import Synchronization
package import Time

/// Clocks that only the test advances.
package final class TestClock: Sendable {
  private struct Reading {
    var now: Timestamp
    var uptime: Duration
  }

  private let reading: Mutex<Reading>

  /// Clocks that are stopped at a time.
  package init(_ start: Timestamp = Timestamp(seconds: 1_800_000_000)) {
    reading = Mutex(Reading(now: start, uptime: .seconds(1000)))
  }

  package var source: TimeSource { TimeSource(now: { self.now }, uptime: { self.uptime }) }

  package var now: Timestamp { reading.withLock { $0.now } }

  package var uptime: Duration { reading.withLock { $0.uptime } }

  /// Advances both clocks.
  package func pass(_ duration: Duration) {
    reading.withLock {
      $0.now = Timestamp(milliseconds: $0.now.milliseconds + duration.millisecondsRoundedUp)
      $0.uptime += duration
    }
  }

  /// Sets only the civil clock, as an administrator can.
  package func set(_ now: Timestamp) { reading.withLock { $0.now = now } }
}
