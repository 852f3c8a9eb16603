package import EventLoop
import TestLoop

/// Timers that use a test clock.
@EventLoop
package final class TestTimers {
  private var waiting: [(due: Duration, handler: @EventLoop () -> Void)] = []
  private let clock: TestClock

  package init(_ clock: TestClock) { self.clock = clock }

  /// Remaining delays of the pending timers.
  package var delays: [Duration] { waiting.map { $0.due - clock.uptime }.sorted() }

  package func add(_ delay: Duration, _ handler: @escaping @EventLoop () -> Void) {
    waiting.append((clock.uptime + delay, handler))
  }

  /// Drops the pending timers, as a crash does: handlers keep services alive, which keep these timers alive.
  package func abandon() { waiting = [] }

  /// Calls the handlers of due timers, earliest first.
  package func fire() {
    while let index = waiting.indices.min(by: { waiting[$0].due < waiting[$1].due }),
      waiting[index].due <= clock.uptime
    {
      waiting.remove(at: index).handler()
    }
  }
}

/// Runs everything that can run without another external event.
@EventLoop
package func settle() async { await TestLoop.settle() }
