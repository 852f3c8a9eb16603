internal import EventLoop
import Synchronization
package import Time

/// Clocks that only a test moves.
package final class TestClock: Sendable {
  private struct Reading {
    var now: Timestamp
    var uptime: Duration
  }

  private let reading: Mutex<Reading>

  /// Clocks that stand at an instant.
  package init(_ start: Timestamp = Timestamp(seconds: 1_800_000_000)) {
    reading = Mutex(Reading(now: start, uptime: .seconds(1000)))
  }

  package var source: TimeSource { TimeSource(now: { self.now }, uptime: { self.uptime }) }

  package var now: Timestamp { reading.withLock { $0.now } }

  package var uptime: Duration { reading.withLock { $0.uptime } }

  /// Lets time pass on both clocks.
  package func pass(_ duration: Duration) {
    reading.withLock {
      $0.now = Timestamp(milliseconds: $0.now.milliseconds + duration.millisecondsRoundedUp)
      $0.uptime += duration
    }
  }

  /// Sets the civil clock alone, as an administrator can.
  package func set(_ now: Timestamp) { reading.withLock { $0.now = now } }
}
