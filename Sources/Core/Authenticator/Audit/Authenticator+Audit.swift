package import ControlAPI
package import Glibc
internal import JSONRPC
internal import Journal
internal import SQLite
internal import Time

/// What the daemon does without being asked for it just then; no method has such a name.
enum AutomaticAction: String {
  /// An administrator of the platform got the logs that they asked for.
  case answerLogRequest = "daemon.answerLogRequest"
  /// A push that asks the device and not its owner was answered.
  case answerSilently = "daemon.answerSilently"
  /// An answer that was not heard at first was handed in.
  case deliverAnswer = "daemon.deliverAnswer"
  /// A decision on a code that was not heard at first was handed in.
  case deliverDecision = "daemon.deliverDecision"
  /// A pairing that had been interrupted was gone on with.
  case resumePairing = "daemon.resumePairing"
  /// The keys of a device were replaced because of their age.
  case rotateKeys = "daemon.rotateKeys"
}

extension Authenticator {
  /// Leaves an entry of what was done, which is on the disk when this returns.
  ///
  /// What was done stays done when its entry cannot be written; then the journal has it.
  package func audit(_ method: String, target: String?, outcome: String, owner: uid_t) {
    do {
      try store.insertAudit(
        AuditEntry(
          id: Self.makeID(),
          at: time.now(),
          owner: owner,
          method: method,
          target: target,
          outcome: outcome
        )
      )
    } catch {
      Journal.error(
        "an entry of the audit could not be written",
        ["uid": owner, "method": method, "outcome": outcome, "reason": "\(error)"]
      )
    }
  }

  /// Does what nobody waits for, and leaves an entry of how it ended.
  func auditing<R>(
    _ action: AutomaticAction,
    of target: String,
    owner: uid_t,
    _ body: () async throws -> R
  ) async throws -> R {
    do {
      let result = try await body()
      audit(action.rawValue, target: target, outcome: AuditEntry.done, owner: owner)
      return result
    } catch {
      audit(action.rawValue, target: target, outcome: Self.reason(of: error), owner: owner)
      throw error
    }
  }

  /// What was done, the newest first; for all owners when none is given.
  package func auditEntries(of owner: uid_t?, page: Page) throws -> [AuditEntry] {
    let sequence = try page.before.map { id in
      guard let sequence = try store.auditSequence(id, of: owner) else { throw RPCError.notFound }
      return sequence
    }
    return try store.auditEntries(of: owner, before: sequence, limit: page.limit)
  }

  private static func reason(of error: any Error) -> String {
    switch error {
    case let error as RPCError: error.reason
    case let error as PlatformError: error.rpcError.reason
    case is SQLiteError: RPCError.storage.reason
    default: RPCError.internalFailure.reason
    }
  }
}
