internal import Time

/// A handler that the loop calls once unless the timer is cancelled.
@EventLoop
public final class Timer {
  fileprivate let deadline: Duration
  fileprivate var handler: (@EventLoop () -> Void)?

  fileprivate init(deadline: Duration, handler: @escaping @EventLoop () -> Void) {
    self.deadline = deadline
    self.handler = handler
  }

  /// Cancels the timer; repeated or late calls have no effect.
  public func cancel() { handler = nil }
}

/// The timers of the loop, in a heap with the earliest timer on top.
@EventLoop
final class Timers {
  /// The clock of the timers.
  var uptime = TimeSource.system.uptime
  private var heap: [Timer] = []

  nonisolated init() {}

  func removeAll() { heap = [] }

  func add(after delay: Duration, _ handler: @escaping @EventLoop () -> Void) -> Timer {
    let timer = Timer(deadline: uptime() + delay, handler: handler)
    heap.append(timer)
    siftUp(from: heap.count - 1)
    return timer
  }

  /// Time until the next timer is due; `nil` if there is none.
  var toNext: Duration? {
    while let first = heap.first, first.handler == nil { removeFirst() }
    return heap.first.map { max(.zero, $0.deadline - uptime()) }
  }

  /// Timeout for epoll_wait(2); -1 for none.
  var millisecondsToNext: Int32 { toNext.map { Int32(clamping: $0.millisecondsRoundedUp) } ?? -1 }

  /// Calls the handlers of all due timers; returns true if a timer was due.
  @discardableResult
  func fire() -> Bool {
    guard !heap.isEmpty else { return false }
    let now = uptime()
    var hasFired = false
    while let first = heap.first, first.handler == nil || first.deadline <= now {
      removeFirst()
      guard let handler = first.handler else { continue }
      first.handler = nil
      hasFired = true
      handler()
    }
    return hasFired
  }

  private func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown()
  }

  private func siftUp(from start: Int) {
    var index = start
    while index > 0, heap[index].deadline < heap[(index - 1) / 2].deadline {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func siftDown() {
    var index = 0
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child].deadline < heap[smallest].deadline { smallest = child }
      guard smallest != index else { return }
      heap.swapAt(index, smallest)
      index = smallest
    }
  }
}

/// A function that calls a handler once after a delay; tests pass a function with a clock of their own.
public typealias Delay = @EventLoop (Duration, @escaping @EventLoop () -> Void) -> Void

/// The delay before the next attempt, doubled with each attempt up to a limit.
public struct BackOff: Sendable {
  private let shortest: Duration
  private let longest: Duration
  private var following: Duration

  public init(from shortest: Duration, to longest: Duration) {
    (self.shortest, self.longest, following) = (shortest, longest, shortest)
  }

  /// Returns the next delay; the following delay is twice as long, up to the limit.
  public mutating func next() -> Duration {
    defer { following = min(following * 2, longest) }
    return following
  }

  /// Resets the delay to the shortest.
  public mutating func reset() { following = shortest }
}
