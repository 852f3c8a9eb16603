package import JSON
package import JSONRPC

/// Why a command did not do what it was asked to.
package enum Failure: Error, Sendable {
  /// The daemon refused it.
  case refused(Refusal)
  /// Something failed on this side of the socket.
  case failed(Complaint)
  /// The result, which was printed, says already what is wrong.
  case told(ExitCode)
  /// A signal asks the program to end.
  case interrupted(signal: Int32)

  /// The stable name of a failure on this side, the reason of its error object.
  package enum Reason: String, CaseIterable, Sendable {
    case alreadyAnswered = "ALREADY_ANSWERED"
    case ambiguous = "AMBIGUOUS"
    case auditBroken = "AUDIT_BROKEN"
    case cancelled = "CANCELLED"
    case denied = "DENIED"
    case expired = "EXPIRED"
    case notFound = "NOT_FOUND"
    case notTheDaemon = "NOT_THE_DAEMON"
    case output = "OUTPUT"
    case pairingFailed = "PAIRING_FAILED"
    case permissionDenied = "PERMISSION_DENIED"
    case platformUnreachable = "NO_CONNECTIVITY"
    case pushTestFailed = "PUSH_TEST_FAILED"
    case signOnFailed = "SIGN_ON_FAILED"
    case timedOut = "TIMED_OUT"
    case toolMissing = "TOOL_MISSING"
    case unreachable = "UNREACHABLE"
    case usage = "USAGE"
  }

  /// A failure on this side of the socket; a list names what fits, and details are the same for `--json`.
  package static func local(
    _ reason: Reason,
    _ message: SafeText,
    hint: SafeText? = nil,
    list: [SafeText] = [],
    details: JSON? = nil
  ) -> Failure {
    let hint = hint ?? reason.hint
    return .failed(Complaint(reason: reason, message: message, hint: hint, list: list, details: details))
  }

  package static let noAnswer = local(
    .timedOut,
    "the daemon did not answer in time",
    hint: Reason.unreachable.hint
  )

  package static let notTheDaemon = local(.notTheDaemon, "what came back is not the daemon's protocol")
}

/// What failed on this side of the socket.
package struct Complaint: Sendable {
  package let reason: Failure.Reason
  package let message: SafeText
  package let hint: SafeText
  /// What fits, or what is wrong one by one.
  package let list: [SafeText]
  package let details: JSON?

  /// Its error object, with the code 0, which the daemon never uses.
  package var json: JSON {
    let mayRetry: Set<Failure.Reason> = [.cancelled, .platformUnreachable, .timedOut, .unreachable]
    let error = RPCError(0, reason.rawValue, message.text, retry: mayRetry.contains(reason))
    return error.with(details?.object ?? [:]).json
  }
}
