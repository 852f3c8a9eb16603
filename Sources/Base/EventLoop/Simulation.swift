/// Time that passes only when nothing is left to do: what would take a day takes as long as there is something to do.
///
/// A program whose every wait goes by it does the same each time, in the same order.
struct Simulation {
  /// Moves the clock on, to the next timer if there is one.
  let whenIdle: @EventLoop (_ toNext: Duration?) -> Void
  let jitter: @EventLoop (ClosedRange<Int>) -> Int
}

extension EventLoop {
  /// Plays time from now on: by a clock that somebody else moves, when the loop has nothing to do and would wait.
  ///
  /// What waited for another time never comes.
  @EventLoop
  public static func simulate(
    _ uptime: @escaping @Sendable () -> Duration,
    jitter: @escaping @EventLoop (ClosedRange<Int>) -> Int,
    whenIdle: @escaping @EventLoop (_ toNext: Duration?) -> Void
  ) {
    Reactor.shared.timers.removeAll()
    Reactor.shared.timers.uptime = uptime
    Reactor.shared.simulation = Simulation(whenIdle: whenIdle, jitter: jitter)
  }

  /// The time since boot, by the clock that timers go by.
  @EventLoop
  public static var uptime: Duration { Reactor.shared.timers.uptime() }

  /// A part of a second, by which the waits of many differ who began at once.
  @EventLoop
  public static var jitter: Duration {
    let range = 0...500
    return .milliseconds(Reactor.shared.simulation?.jitter(range) ?? Int.random(in: range))
  }
}
