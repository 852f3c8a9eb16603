public import EventLoop

/// The changes of one request over all its loop iterations, with the first error of storing them.
@EventLoop
final class Changes {
  /// The changes of the current request; tasks that it starts inherit them.
  @TaskLocal static var current: Changes?

  private(set) var failure: (any Error)?
  /// The changes of the enclosing call of `storing`, if there is one.
  private let whole = Changes.current

  func fail(_ failure: any Error) {
    self.failure = self.failure ?? failure
    whole?.fail(failure)
  }
}

extension Vault {
  /// Runs `body` detached from the current call.
  ///
  /// `body` has no verified presence, and the call does not fail if a change of `body` cannot be stored.
  public static func leavingCall<R>(_ body: @EventLoop () throws -> R) rethrows -> R {
    try Changes.$current.withValue(nil) { try VerifiedPresence.$current.withValue(nil) { try body() } }
  }

  /// Runs `body`, which may take several loop iterations.
  ///
  /// Throws: the reason that one of its changes could not be stored, even if `body` succeeds or throws
  /// another error.
  public func storing<R>(_ body: @EventLoop () async throws -> R) async throws -> R {
    let changes = Changes()
    do {
      let result = try await Changes.$current.withValue(changes) { try await body() }
      if let failure = changes.failure { throw failure }
      return result
    } catch { throw changes.failure ?? error }
  }

  /// Runs `body` and returns its result only once all its changes are on the disk.
  ///
  /// Use it for a result that several callers wait for.
  ///
  /// Throws: the reason that one of its changes could not be stored, even if `body` succeeds or throws
  /// another error.
  public func untilStored<R>(_ body: @EventLoop () async throws -> R) async throws -> R {
    try await storing {
      let result: R
      do { result = try await body() } catch {
        try await committed()
        throw error
      }
      try await committed()
      return result
    }
  }
}

extension SingleFlight {
  /// Runs `body` once for all concurrent callers with this key, and waits until its changes are stored.
  ///
  /// If they cannot be stored, all callers get the error.
  public func run(
    _ key: Key,
    changing vault: Vault,
    _ body: @escaping @EventLoop @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(key) { try await vault.untilStored(body) }
  }
}

/// The result of storing the changes of one loop iteration.
@EventLoop
public final class Commitment {
  private var outcome: Result<Void, any Error>?
  private var waiting: [CheckedContinuation<Void, any Error>] = []

  nonisolated init() {}

  func settle(_ failure: (any Error)?) {
    let outcome: Result<Void, any Error> = failure.map { .failure($0) } ?? .success(())
    self.outcome = outcome
    for continuation in waiting { continuation.resume(with: outcome) }
    waiting = []
  }

  /// Waits for the result.
  ///
  /// Throws: the reason that the changes could not be stored.
  public func value() async throws {
    if let outcome { return try outcome.get() }
    try await withCheckedThrowingContinuation { waiting.append($0) }
  }
}
