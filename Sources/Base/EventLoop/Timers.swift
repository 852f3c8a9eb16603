internal import Time

/// A handler that the loop will call once, until it is cancelled.
@EventLoop
package final class Timer {
  fileprivate let deadline: Duration
  fileprivate var handler: (@EventLoop () -> Void)?

  fileprivate init(deadline: Duration, handler: @escaping @EventLoop () -> Void) {
    self.deadline = deadline
    self.handler = handler
  }

  /// Ends the wait without a call; harmless when repeated or late.
  package func cancel() { handler = nil }
}

/// The timers of the loop, a heap with the earliest at its top.
@EventLoop
final class Timers {
  private var heap: [Timer] = []

  nonisolated init() {}

  func add(after delay: Duration, _ handler: @escaping @EventLoop () -> Void) -> Timer {
    let timer = Timer(deadline: TimeSource.system.uptime() + delay, handler: handler)
    heap.append(timer)
    siftUp(from: heap.count - 1)
    return timer
  }

  /// How long epoll_wait may wait, -1 for ever.
  var millisecondsToNext: Int32 {
    while let first = heap.first, first.handler == nil { removeFirst() }
    guard let first = heap.first else { return -1 }
    let wait = first.deadline - TimeSource.system.uptime()
    return wait <= .zero ? 0 : Int32(clamping: wait.millisecondsRoundedUp)
  }

  func fire() {
    guard !heap.isEmpty else { return }
    let now = TimeSource.system.uptime()
    while let first = heap.first, first.handler == nil || first.deadline <= now {
      removeFirst()
      let handler = first.handler
      first.handler = nil
      handler?()
    }
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
