internal import EventLoop
internal import Journal

/// Empties the log for all who wait for it, so that many who are erased cost others little more than one.
@EventLoop
final class LogEmptying {
  private let empty: @EventLoop () throws -> Void
  private var waiting: [CheckedContinuation<Void, any Error>] = []
  private var notBefore: Duration = .zero
  private let after: Delay
  /// Whether it is tried again by itself.
  private var isOwed = false

  /// Of the loop's time it takes no more than one part in so many.
  private static let share = 5
  private static let retry = Duration.seconds(30)

  init(
    after: @escaping Delay = { EventLoop.after($0, $1) },
    _ empty: @escaping @EventLoop () throws -> Void
  ) { (self.after, self.empty) = (after, empty) }

  /// Waits until the log has been emptied of what is on the disk now.
  func finished() async throws {
    try await withCheckedThrowingContinuation { continuation in
      waiting.append(continuation)
      guard waiting.count == 1 else { return }
      EventLoop.after(max(.zero, notBefore - EventLoop.uptime)) {
        if !self.waiting.isEmpty { self.now() }
      }
    }
  }

  /// Empties it at once; where that cannot be, as soon as it can.
  func now() {
    let begin = EventLoop.uptime
    let outcome = Result { try empty() }
    let end = EventLoop.uptime
    notBefore = end + (end - begin) * (Self.share - 1)
    let waited = waiting
    waiting = []
    for continuation in waited { continuation.resume(with: outcome) }
    if case .failure(let error) = outcome { tryAgain(after: error) }
  }

  private func tryAgain(after error: any Error) {
    guard !isOwed else { return }
    isOwed = true
    Journal.warning("the log keeps what was written over until it can be emptied", ["reason": "\(error)"])
    after(Self.retry) { [weak self] in
      self?.isOwed = false
      self?.now()
    }
  }
}
