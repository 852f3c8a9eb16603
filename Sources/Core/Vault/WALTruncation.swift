internal import EventLoop
internal import Journal

/// Truncates the WAL once for all waiters, so that many erasures together need few truncations.
@EventLoop
final class WALTruncation {
  private let empty: @EventLoop () throws -> Void
  private var waiting: [CheckedContinuation<Void, any Error>] = []
  private let pace = Throttle(share: 5)
  private let after: Delay
  /// True while another attempt is scheduled.
  private var isOwed = false

  private static let retry = Duration.seconds(30)

  init(
    after: @escaping Delay = { EventLoop.after($0, $1) },
    _ empty: @escaping @EventLoop () throws -> Void
  ) { (self.after, self.empty) = (after, empty) }

  /// Waits for a truncation of the WAL that begins after this call.
  ///
  /// Throws if it fails, but another attempt is made automatically.
  func finished() async throws {
    try await withCheckedThrowingContinuation { continuation in
      waiting.append(continuation)
      guard waiting.count == 1 else { return }
      after(pace.delay) {
        if !self.waiting.isEmpty { self.now() }
      }
    }
  }

  /// Truncates the WAL now; if this fails, tries again automatically.
  func now() {
    let outcome = pace.spend { Result { try empty() } }
    let waited = waiting
    waiting = []
    for continuation in waited { continuation.resume(with: outcome) }
    if case .failure(let error) = outcome { tryAgain(after: error) }
  }

  private func tryAgain(after error: any Error) {
    guard !isOwed else { return }
    isOwed = true
    Journal.warning("the WAL could not be truncated, which is tried again", ["reason": "\(error)"])
    after(Self.retry) { [weak self] in
      self?.isOwed = false
      self?.now()
    }
  }
}
