package import EventLoop

/// Whether the changes of one turn got onto the disk.
@EventLoop
package final class Commitment {
  private var outcome: Result<Void, any Error>?
  private var waiting: [CheckedContinuation<Void, any Error>] = []

  nonisolated init() {}

  func settle(_ failure: (any Error)?) {
    let outcome: Result<Void, any Error> = failure.map { .failure($0) } ?? .success(())
    self.outcome = outcome
    for continuation in waiting { continuation.resume(with: outcome) }
    waiting = []
  }

  /// Waits until it is known.
  ///
  /// Throws: why the changes could not be stored.
  package func value() async throws {
    if let outcome { return try outcome.get() }
    try await withCheckedThrowingContinuation { waiting.append($0) }
  }
}
