/// Simulated time, which passes only when the loop is idle: a simulated day takes as long as the work in it.
///
/// A simulation is deterministic only if all waits of the program use this time.
struct Simulation {
  /// Advances the clock, to the next timer if there is one.
  let whenIdle: @EventLoop (_ toNext: Duration?) -> Void
  let jitter: @EventLoop (ClosedRange<Int>) -> Int
}

extension EventLoop {
  /// Switches to simulated time: `whenIdle` advances the clock when the loop has nothing to do.
  ///
  /// Pending timers are removed.
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

  /// The time since boot, by the clock of the timers.
  @EventLoop
  public static var uptime: Duration { Reactor.shared.timers.uptime() }

  /// A random delay of at most half a second, which spreads waits that start at the same time.
  @EventLoop
  public static var jitter: Duration {
    let range = 0...500
    return .milliseconds(Reactor.shared.simulation?.jitter(range) ?? Int.random(in: range))
  }
}
