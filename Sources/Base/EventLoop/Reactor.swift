internal import CLinux
internal import Glibc
internal import SystemCalls

/// The events of a descriptor.
public struct Interest: OptionSet, Sendable {
  public let rawValue: UInt32

  /// An option set from epoll event bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Data, a connection or the end of the stream can be read.
  public static let readable = Interest(rawValue: EPOLLIN.rawValue)
  /// Data can be written.
  public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
  /// The peer closed the connection, or the descriptor failed.
  ///
  /// epoll reports these events even if they are not requested.
  public static let closed = Interest(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}

/// A descriptor that the loop watches until the watch is cancelled.
@EventLoop
public final class Watch {
  /// The events for which the handler is called.
  public var interest: Interest {
    didSet {
      if interest != oldValue { Reactor.shared.update(self) }
    }
  }

  fileprivate let descriptor: Int32
  fileprivate let token: UInt64
  fileprivate let handler: @EventLoop (Interest) -> Void

  fileprivate init(
    descriptor: Int32,
    token: UInt64,
    interest: Interest,
    handler: @escaping @EventLoop (Interest) -> Void
  ) {
    self.descriptor = descriptor
    self.token = token
    self.interest = interest
    self.handler = handler
  }

  /// Stops watching.
  ///
  /// Must be called before the descriptor is closed; repeated calls have no effect.
  public func cancel() { Reactor.shared.remove(self) }
}

/// The loop itself: waits for descriptors and timers and calls their handlers.
@EventLoop
final class Reactor {
  static let shared = Reactor()

  let timers = Timers()
  var beforeLeaving: [@EventLoop () -> Void] = []
  var endOfTurn: [@EventLoop () -> Void] = []
  /// Simulated time, which the loop advances instead of waiting; `nil` for real time.
  var simulation: Simulation?

  private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
  private var watches: [UInt64: Watch] = [:]
  private var nextToken: UInt64 = 1
  private var isRunning = false

  private static let wakeToken: UInt64 = 0
  private static let eventsPerTurn = 256

  private init() {
    precondition(epoll >= 0, "epoll_create1 failed")
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.wakeToken))
    epoll_ctl(epoll, EPOLL_CTL_ADD, EventLoop.shared.executor.wakeDescriptor, &event)
  }

  func run() {
    isRunning = true
    let executor = EventLoop.shared.executor
    let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.eventsPerTurn)
    defer { events.deallocate() }
    while isRunning {
      runJobs()
      finishTurn()
      let isBusy = executor.hasJobs || !isRunning
      let timeout = isBusy || simulation != nil ? 0 : timers.millisecondsToNext
      let count = epoll_wait(epoll, events, Int32(Self.eventsPerTurn), timeout)
      for index in 0..<max(0, Int(count)) { handle(events[index]) }
      let hasFired = timers.fire()
      if let simulation, !isBusy, count == 0, !hasFired, !executor.hasJobs {
        simulation.whenIdle(timers.toNext)
      }
    }
    finishTurn()
  }

  /// Runs queued jobs until `longestRun` has passed; returns false if jobs remain.
  ///
  /// So the loop can serve descriptors and timers before it runs the remaining jobs.
  @discardableResult
  func runJobs() -> Bool {
    let end = timers.uptime() + EventLoop.longestRun
    return EventLoop.shared.executor.drain { timers.uptime() < end }
  }

  /// Calls the handlers of both lists until the lists are empty, because handlers may add handlers.
  private func finishTurn() {
    while !beforeLeaving.isEmpty || !endOfTurn.isEmpty {
      let handlers = beforeLeaving.isEmpty ? endOfTurn : beforeLeaving
      if beforeLeaving.isEmpty { endOfTurn = [] } else { beforeLeaving = [] }
      for handler in handlers { handler() }
    }
  }

  private func handle(_ event: epoll_event) {
    let token = event.data.u64
    guard token != Self.wakeToken else { return EventLoop.shared.executor.acknowledgeWake() }
    // An earlier handler of this iteration may have cancelled the watch.
    watches[token]?.handler(Interest(rawValue: event.events))
  }

  func stop() { isRunning = false }

  func watch(
    _ descriptor: Int32,
    for interest: Interest,
    _ handler: @escaping @EventLoop (Interest) -> Void
  ) throws(SystemError) -> Watch {
    let watch = Watch(descriptor: descriptor, token: nextToken, interest: interest, handler: handler)
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: watch.token))
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw SystemError("epoll_ctl") }
    nextToken += 1
    watches[watch.token] = watch
    return watch
  }

  func update(_ watch: Watch) {
    guard watches[watch.token] != nil else { return }
    var event = epoll_event(events: watch.interest.rawValue, data: epoll_data_t(u64: watch.token))
    epoll_ctl(epoll, EPOLL_CTL_MOD, watch.descriptor, &event)
  }

  func remove(_ watch: Watch) {
    guard watches.removeValue(forKey: watch.token) != nil else { return }
    epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, nil)
  }
}
