import EventLoop
import Synchronization
import TestLoop
import Time

/// Clocks that only a test moves.
final class TestClock: Sendable {
  private struct Reading {
    var now: Timestamp
    var uptime: Duration
  }

  private let reading: Mutex<Reading>

  /// Clocks that stand at an instant.
  init(_ start: Timestamp = Timestamp(seconds: 1_800_000_000)) {
    reading = Mutex(Reading(now: start, uptime: .seconds(1000)))
  }

  var source: TimeSource { TimeSource(now: { self.now }, uptime: { self.uptime }) }

  var now: Timestamp { reading.withLock { $0.now } }

  var uptime: Duration { reading.withLock { $0.uptime } }

  /// Lets time pass on both clocks.
  func pass(_ duration: Duration) {
    reading.withLock {
      $0.now = Timestamp(milliseconds: $0.now.milliseconds + duration.millisecondsRoundedUp)
      $0.uptime += duration
    }
  }

  /// Sets the civil clock alone, as an administrator can.
  func set(_ now: Timestamp) { reading.withLock { $0.now = now } }
}

/// Handlers that wait for the time of a test clock.
@EventLoop
final class TestTimers {
  private var waiting: [(due: Duration, handler: @EventLoop () -> Void)] = []
  private let clock: TestClock

  init(_ clock: TestClock) { self.clock = clock }

  /// How long each handler that waits was asked to wait from now on.
  var delays: [Duration] { waiting.map { $0.due - clock.uptime }.sorted() }

  func add(_ delay: Duration, _ handler: @escaping @EventLoop () -> Void) {
    waiting.append((clock.uptime + delay, handler))
  }

  /// Calls what is due, the earliest first.
  func fire() {
    while let index = waiting.indices.min(by: { waiting[$0].due < waiting[$1].due }),
      waiting[index].due <= clock.uptime
    {
      waiting.remove(at: index).handler()
    }
  }
}

/// Lets everything run that can run without another thing happening.
@EventLoop
func settle() async { await TestLoop.settle() }
