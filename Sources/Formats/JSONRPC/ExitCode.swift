/// How a command ends, by the number that a shell sees.
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
  case interrupted = 130

  /// What the code says, for a person.
  public var meaning: String {
    switch self {
    case .done: "done"
    case .refused: "refused, for a reason not below"
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
    case .answeredElsewhere: "answered or cancelled elsewhere"
    case .tryLater: "try later"
    case .rejected: "token, key or code rejected"
    case .numberWanted: "number wanted or wrong"
    case .ambiguous: "several fit, name one"
    case .personNotVerified: "the person has to be verified, or was not"
    case .refusedByPolicy: "refused by a policy of the other side, or for want of scopes"
    case .misconfigured: "the service is misconfigured"
    case .interrupted: "interrupted"
    }
  }
}
