/// Has what takes the loop long done one piece after the other, and leaves time for everything else between.
@EventLoop
public final class Pace {
  private let share: Int
  private var notBefore: Duration = .zero
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isCalling = false

  /// A pace at which such work takes one part in so many of the loop's time.
  public nonisolated init(share: Int) { self.share = share }

  /// How long the next piece has to wait.
  public var delay: Duration { max(.zero, notBefore - EventLoop.uptime) }

  /// Does a piece at once.
  public func spend<R>(_ body: () throws -> R) rethrows -> R {
    let begin = EventLoop.uptime
    defer {
      let end = EventLoop.uptime
      notBefore = end + (end - begin) * (share - 1)
    }
    return try body()
  }

  /// Does a piece when its turn has come; those who ask first are first.
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
