package import EventLoop
import TestLoop

/// Handlers that wait for the time of a test clock.
@EventLoop
package final class TestTimers {
  private var waiting: [(due: Duration, handler: @EventLoop () -> Void)] = []
  private let clock: TestClock

  package init(_ clock: TestClock) { self.clock = clock }

  /// How long each handler that waits was asked to wait from now on.
  package var delays: [Duration] { waiting.map { $0.due - clock.uptime }.sorted() }

  package func add(_ delay: Duration, _ handler: @escaping @EventLoop () -> Void) {
    waiting.append((clock.uptime + delay, handler))
  }

  /// Drops the pending timers, as a crash does: handlers keep services alive, which keep these timers alive.
  package func abandon() { waiting = [] }

  /// Calls what is due, the earliest first.
  package func fire() {
    while let index = waiting.indices.min(by: { waiting[$0].due < waiting[$1].due }),
      waiting[index].due <= clock.uptime
    {
      waiting.remove(at: index).handler()
    }
  }
}

/// Lets everything run that can run without another thing happening.
@EventLoop
package func settle() async { await TestLoop.settle() }
