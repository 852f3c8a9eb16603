public import ControlAPI
public import EventLoop
public import Glibc
public import JSONRPC
internal import Journal
public import Time

/// The audit: records each operation with its owner, target and outcome.
@EventLoop
public final class Audit {
  public let verifier: AuditVerifier
  private let vault: Vault
  private let time: TimeSource
  private let after: Delay
  private lazy var counts = AuditCounts(vault, time: time, after: after) { [weak self] in
    self?.record($0, target: $1.id, outcome: $2, owner: $1.owner)
  }

  public init(
    vault: Vault,
    time: TimeSource,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) {
    (self.vault, self.time, self.after) = (vault, time, after)
    verifier = AuditVerifier(vault: vault)
    vault.sealer.damage.audit = self
  }

  /// Counts an operation on an object; an entry with the number follows within an hour.
  public func count(_ method: String, target: String, owner: uid_t) {
    counts.add(method, OwnedKey(target, of: owner))
  }

  /// Writes the number of the counted operations on an object that is being removed.
  public func endCount(of target: String, owner: uid_t) { counts.end(OwnedKey(target, of: owner)) }

  /// Forgets the counted operations of an erased owner.
  func forgetCounts(of owner: uid_t) { counts.forget(owner) }

  /// Writes the numbers of the counted operations, in the transaction of the current loop iteration.
  func writeCounts() { counts.writeAll() }

  /// Writes an entry for a completed operation, in the transaction of the current loop iteration.
  ///
  /// If the entry cannot be written, the operation stays valid and the journal gets an error with the entry.
  public func record(_ method: String, target: String?, outcome: String, owner: uid_t) {
    do { try enter(method, target: target, outcome: outcome, owner: owner) } catch {
      Journal.error(
        "an entry of the audit could not be written",
        ["uid": owner, "method": method, "outcome": outcome, "reason": "\(error)"]
      )
    }
  }

  /// Writes an entry like `record`, but throws if it fails, for operations that must not happen without an
  /// entry.
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
      // The journal gets a second copy, which remains if someone changes the database file.
      Journal.info("an entry of the audit", ["uid": owner, "method": method, "outcome": outcome])
    }
  }

  /// Runs `body` and writes an entry with its outcome under `name`.
  ///
  /// `target` derives the target from the result.
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

  /// Runs an action that no client waits for, and writes an entry with its outcome.
  public func following<R>(
    _ action: AutomaticAction,
    of target: String,
    owner: uid_t,
    _ body: () async throws -> R
  ) async throws -> R {
    try await following(action.name, owner: owner, target: { _ in target }, body)
  }

  /// Returns entries, newest first; of all owners if `owner` is nil.
  public func entries(of owner: uid_t?, page: Page) throws -> [AuditEntry] {
    let sequence = try page.before.map { id in
      guard let sequence = try vault.auditSequence(id, of: owner) else { throw RPCError.noSuch("entry") }
      return sequence
    }
    return try vault.auditEntries(of: owner, before: sequence, limit: page.limit)
  }
}

/// An action of the daemon without a request; the prefix of its name distinguishes it from a method.
public struct AutomaticAction: Sendable {
  let name: String

  public init(_ name: StaticString) { self.name = "daemon.\(name)" }
}
