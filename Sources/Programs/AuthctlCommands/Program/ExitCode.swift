/// How a command ended, section 7 of the control API: the one table from errors to exit codes.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case refused = 1
  case wrongUsage = 2
  case unreachable = 3
  case permissionDenied = 4
  case notFound = 5
  case denied = 6
  case timedOut = 7
  case notConfigured = 8
  case locked = 9
  case platformUnreachable = 10
  case notTheDaemon = 11
  case expired = 12
  case answeredElsewhere = 13
  case tryLater = 14
  case rejected = 15
  case numberWanted = 16

  /// The exit code for an error that the daemon answered with.
  package init(errorCode: Int) { self = Self.byErrorCode[errorCode] ?? .refused }

  /// The exit code for a failure on this side of the socket.
  package init(_ reason: Failure.Reason) {
    self =
      switch reason {
      case .cancelled, .signOnFailed, .pairingFailed, .pushTestFailed, .output: .refused
      case .usage: .wrongUsage
      case .unreachable: .unreachable
      case .permissionDenied: .permissionDenied
      case .notFound, .ambiguous: .notFound
      case .denied: .denied
      case .timedOut: .timedOut
      case .notTheDaemon: .notTheDaemon
      case .expired: .expired
      case .alreadyAnswered: .answeredElsewhere
      }
  }

  private static let byErrorCode: [Int: ExitCode] = [
    11001: .permissionDenied,
    11002: .notFound, 11017: .notFound,
    10008: .notConfigured, 10018: .notConfigured,
    11005: .locked, 11012: .locked, 11013: .locked, 11014: .locked, 11018: .locked,
    10003: .platformUnreachable, 10004: .platformUnreachable,
    10009: .expired, 11004: .expired,
    10020: .answeredElsewhere, 11003: .answeredElsewhere,
    11006: .tryLater, 11016: .tryLater,
    10005: .rejected, 10011: .rejected, 11009: .rejected,
    11007: .numberWanted, 11008: .numberWanted,
  ]

  /// What the code says, for the help.
  package var meaning: SafeText {
    switch self {
    case .done: "done"
    case .refused: "refused, for a reason not below"
    case .wrongUsage: "wrong usage"
    case .unreachable: "the daemon cannot be reached"
    case .permissionDenied: "permission denied"
    case .notFound: "not found, or several fit"
    case .denied: "denied"
    case .timedOut: "timed out waiting"
    case .notConfigured: "not configured or not paired"
    case .locked: "locked"
    case .platformUnreachable: "the platform cannot be reached"
    case .notTheDaemon: "the program behind the socket is not the daemon"
    case .expired: "expired"
    case .answeredElsewhere: "answered or cancelled elsewhere"
    case .tryLater: "try later"
    case .rejected: "token, key or code rejected"
    case .numberWanted: "number wanted or wrong"
    }
  }
}
