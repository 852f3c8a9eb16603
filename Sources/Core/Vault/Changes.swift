internal import EventLoop

/// What one request changes, in however many turns: whether all of it got onto the disk.
@EventLoop
final class Changes {
  /// Those of the request that is carried out now; they go with it wherever it leads.
  @TaskLocal static var current: Changes?

  private(set) var failure: (any Error)?

  func fail(_ failure: any Error) { self.failure = self.failure ?? failure }
}

extension Vault {
  /// Does something that may take several turns.
  ///
  /// Throws: why something that it changed could not be stored, whatever else came of that.
  package func storing<R>(_ body: @EventLoop () async throws -> R) async throws -> R {
    let changes = Changes()
    do {
      let result = try await Changes.$current.withValue(changes) { try await body() }
      if let failure = changes.failure { throw failure }
      return result
    } catch { throw changes.failure ?? error }
  }
}
