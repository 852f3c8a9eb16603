public import ControlAPI
public import EventLoop
public import Glibc
public import JSONRPC
internal import Journal
public import Time

/// Who did what, and how it ended.
@EventLoop
public final class Audit {
  public let verifier: AuditVerifier
  private let vault: Vault
  private let time: TimeSource

  public init(vault: Vault, time: TimeSource) {
    (self.vault, self.time) = (vault, time)
    verifier = AuditVerifier(vault: vault)
  }

  /// Leaves an entry of what was done, which is stored with it.
  ///
  /// What was done stays done when its entry cannot be written; then the journal has it.
  public func record(_ method: String, target: String?, outcome: String, owner: uid_t) {
    do { try enter(method, target: target, outcome: outcome, owner: owner) } catch {
      Journal.error(
        "an entry of the audit could not be written",
        ["uid": owner, "method": method, "outcome": outcome, "reason": "\(error)"]
      )
    }
  }

  /// The same for what is not done without its entry.
  func enter(_ method: String, target: String?, outcome: String, owner: uid_t) throws {
    try vault.insertAudit(
      AuditEntry(
        id: OpaqueID.make(),
        at: time.now(),
        owner: owner,
        method: method,
        target: target,
        outcome: outcome
      )
    )
    vault.whenCommitted {
      // A second place, which whoever writes the file does not write.
      Journal.info("an entry of the audit", ["uid": owner, "method": method, "outcome": outcome])
    }
  }

  /// Does something, and leaves an entry of how it ended under a name; `target` says what it was about, by how it
  /// ended.
  public func following<R>(
    _ name: String,
    owner: uid_t,
    target: (Result<R, RPCError>) -> String?,
    _ body: () async throws -> R
  ) async throws -> R {
    do {
      let result = try await body()
      record(name, target: target(.success(result)), outcome: AuditEntry.done, owner: owner)
      return result
    } catch {
      let failure = RPCError(naming: error)
      record(name, target: target(.failure(failure)), outcome: failure.reason, owner: owner)
      throw error
    }
  }

  /// Does what nobody waits for.
  public func following<R>(
    _ action: AutomaticAction,
    of target: String,
    owner: uid_t,
    _ body: () async throws -> R
  ) async throws -> R {
    try await following(action.name, owner: owner, target: { _ in target }, body)
  }

  /// What was done, the newest first; for all owners when none is given.
  public func entries(of owner: uid_t?, page: Page) throws -> [AuditEntry] {
    let sequence = try page.before.map { id in
      guard let sequence = try vault.auditSequence(id, of: owner) else { throw RPCError.noSuch("entry") }
      return sequence
    }
    return try vault.auditEntries(of: owner, before: sequence, limit: page.limit)
  }
}

/// What the daemon does without being asked for it just then; no method has such a name.
public struct AutomaticAction: Sendable {
  let name: String

  public init(_ name: StaticString) { self.name = "daemon.\(name)" }
}
