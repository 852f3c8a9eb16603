public import EventLoop

/// What one request changes, in however many turns: whether all of it got onto the disk.
@EventLoop
final class Changes {
  /// Those of the request that is carried out now; they go with it wherever it leads.
  @TaskLocal static var current: Changes?

  private(set) var failure: (any Error)?
  /// What these are a part of.
  private let whole = Changes.current

  func fail(_ failure: any Error) {
    self.failure = self.failure ?? failure
    whole?.fail(failure)
  }
}

extension Vault {
  /// Begins what goes on after the call: without what was verified for it, and what it cannot store does not fail it.
  public static func leavingCall<R>(_ body: @EventLoop () throws -> R) rethrows -> R {
    try Changes.$current.withValue(nil) { try VerifiedPresence.$current.withValue(nil) { try body() } }
  }

  /// Does something that may take several turns.
  ///
  /// Throws: why something that it changed could not be stored, whatever else came of that.
  public func storing<R>(_ body: @EventLoop () async throws -> R) async throws -> R {
    let changes = Changes()
    do {
      let result = try await Changes.$current.withValue(changes) { try await body() }
      if let failure = changes.failure { throw failure }
      return result
    } catch { throw changes.failure ?? error }
  }

  /// Does something whose end others wait for too: nobody hears of it before all that it changed is on the disk.
  ///
  /// Throws: why something that it changed could not be stored, whatever else came of that.
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
  /// Waits for the task of a key, which changes the state; all who wait hear when its changes could not be stored.
  public func run(
    _ key: Key,
    changing vault: Vault,
    _ body: @escaping @EventLoop @Sendable () async throws -> Value
  ) async throws -> Value {
    try await run(key) { try await vault.untilStored(body) }
  }
}

/// Whether the changes of one turn got onto the disk.
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

  /// Waits until it is known.
  ///
  /// Throws: why the changes could not be stored.
  public func value() async throws {
    if let outcome { return try outcome.get() }
    try await withCheckedThrowingContinuation { waiting.append($0) }
  }
}
