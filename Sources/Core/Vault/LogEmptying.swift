internal import EventLoop

/// Empties the log for all who wait for it, so that many who are erased cost others little more than one.
@EventLoop
final class LogEmptying {
  private let empty: @EventLoop () throws -> Void
  private var waiting: [CheckedContinuation<Void, any Error>] = []
  private var notBefore: Duration = .zero

  /// Of the loop's time it takes no more than one part in so many.
  private static let share = 5

  init(_ empty: @escaping @EventLoop () throws -> Void) { self.empty = empty }

  /// Waits until the log has been emptied of what is on the disk now.
  func finished() async throws {
    try await withCheckedThrowingContinuation { continuation in
      waiting.append(continuation)
      guard waiting.count == 1 else { return }
      EventLoop.after(max(.zero, notBefore - EventLoop.uptime)) { self.run() }
    }
  }

  private func run() {
    let begin = EventLoop.uptime
    let outcome = Result { try empty() }
    let end = EventLoop.uptime
    notBefore = end + (end - begin) * (Self.share - 1)
    let waited = waiting
    waiting = []
    for continuation in waited { continuation.resume(with: outcome) }
  }
}
