/// The exit code of a command.
public enum ExitCode: Int32, CaseIterable, Sendable {
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
  case ambiguous = 17
  case personNotVerified = 18
  case refusedByPolicy = 19
  case misconfigured = 20
  case entriesLeftOut = 21
  case interrupted = 130

  /// The meaning of the code, for display.
  public var meaning: String {
    switch self {
    case .done: "done"
    case .refused: "refused for another reason"
    case .wrongUsage: "wrong usage"
    case .unreachable: "the daemon cannot be reached"
    case .permissionDenied: "permission denied"
    case .notFound: "not found"
    case .denied: "denied"
    case .timedOut: "timed out waiting"
    case .notConfigured: "not configured or not paired"
    case .locked: "locked"
    case .platformUnreachable: "the platform cannot be reached"
    case .notTheDaemon: "the program behind the socket is not the daemon"
    case .expired: "expired"
    case .answeredElsewhere: "already answered or cancelled"
    case .tryLater: "try later"
    case .rejected: "token, key or code rejected"
    case .numberWanted: "number missing or wrong"
    case .ambiguous: "ambiguous: several match"
    case .personNotVerified: "user verification required or failed"
    case .refusedByPolicy: "refused by a policy of the server, or a scope is missing"
    case .misconfigured: "the service is misconfigured"
    case .entriesLeftOut: "an import skipped entries"
    case .interrupted: "interrupted"
    }
  }
}
