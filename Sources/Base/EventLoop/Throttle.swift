/// Limits the share of the loop's time that lengthy work takes: runs it in pieces with pauses between them.
@EventLoop
public final class Throttle {
  private let share: Int
  private var notBefore: Duration = .zero
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isCalling = false

  /// Limits the work to 1/`share` of the loop's time.
  public nonisolated init(share: Int) { self.share = share }

  /// Time until the next piece may run.
  public var delay: Duration { max(.zero, notBefore - EventLoop.uptime) }

  /// Runs a piece immediately, and delays the next piece in proportion to the duration of this one.
  public func spend<R>(_ body: () throws -> R) rethrows -> R {
    let begin = EventLoop.uptime
    defer {
      let end = EventLoop.uptime
      notBefore = end + (end - begin) * (share - 1)
    }
    return try body()
  }

  /// Waits until a piece may run, then runs it; serves callers in order.
  public func run<R>(_ body: () throws -> R) async rethrows -> R {
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      callNext()
    }
    defer {
      isCalling = false
      callNext()
    }
    return try spend(body)
  }

  private func callNext() {
    guard !isCalling, !waiting.isEmpty else { return }
    isCalling = true
    EventLoop.after(delay) { self.waiting.removeFirst().resume() }
  }
}
