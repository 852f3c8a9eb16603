internal import ControlAPI
public import JSON
public import JSONRPC

/// The failure of a command.
public enum Failure: Error, Sendable {
  /// The daemon returned an error.
  case refused(DaemonError)
  /// The client failed.
  case failed(Complaint)
  /// The printed result already shows the failure.
  case told(ExitCode)
  /// A signal requested the end of the program.
  case interrupted(signal: Int32)

  /// The stable name of a client failure, used as `reason` in its error object.
  public enum Reason: String, CaseIterable, Sendable {
    case alreadyAnswered = "ALREADY_ANSWERED"
    case ambiguous = "AMBIGUOUS"
    case auditBroken = "AUDIT_BROKEN"
    case cancelled = "CANCELLED"
    case denied = "DENIED"
    case expired = "EXPIRED"
    case notConfigured = "CONFIGURE_ERROR"
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

  /// Creates a client failure; `list` shows candidates as text, and `details` as JSON for `--json`.
  public static func local(
    _ reason: Reason,
    _ message: SafeText,
    hint: SafeText? = nil,
    list: [SafeText] = [],
    details: JSON? = nil
  ) -> Failure {
    let hint = hint ?? reason.hint
    return .failed(Complaint(reason: reason, message: message, hint: hint, list: list, details: details))
  }

  public static let noAnswer = local(
    .timedOut,
    "the daemon did not answer in time",
    hint: Reason.unreachable.hint
  )

  public static let notTheDaemon = local(.notTheDaemon, "the reply does not follow the daemon's protocol")
}

/// A failure of the client.
public struct Complaint: Sendable {
  public let reason: Failure.Reason
  public let message: SafeText
  public let hint: SafeText
  /// The candidates, or the individual problems.
  public let list: [SafeText]
  public let details: JSON?

  /// Its error object, with the code 0, which the daemon never uses.
  public var json: JSON {
    let mayRetry: Set<Failure.Reason> = [.cancelled, .platformUnreachable, .timedOut, .unreachable]
    let error = RPCError(0, reason.rawValue, message.text, retry: mayRetry.contains(reason))
    return error.with(details?.object ?? [:]).json
  }
}

extension Failure {
  public var exitCode: ExitCode {
    switch self {
    case .refused(let refusal): refusal.error.exitCode
    case .failed(let complaint): complaint.reason.exitCode
    case .told(let code): code
    case .interrupted: .interrupted
    }
  }
}

extension Failure.Reason {
  public var exitCode: ExitCode {
    switch self {
    case .auditBroken, .cancelled, .signOnFailed, .pairingFailed, .pushTestFailed, .output, .toolMissing:
      .refused
    case .usage: .wrongUsage
    case .unreachable: .unreachable
    case .permissionDenied: .permissionDenied
    case .notConfigured: .notConfigured
    case .notFound: .notFound
    case .denied: .denied
    case .timedOut: .timedOut
    case .platformUnreachable: .platformUnreachable
    case .notTheDaemon: .notTheDaemon
    case .expired: .expired
    case .alreadyAnswered: .answeredElsewhere
    case .ambiguous: .ambiguous
    }
  }
}

extension RPCError {
  /// Returns the exit code of a command that failed with this error code.
  public static func exitCode(of code: Int) -> ExitCode {
    documented.first { $0.code == code }?.exitCode ?? .refused
  }
}

extension Failure.Reason {
  /// The default hint of this failure.
  public var hint: SafeText {
    switch self {
    case .alreadyAnswered: "\"authctl notifications --all\" shows the result"
    case .ambiguous: "name one by its id, or the beginning of it"
    case .auditBroken: "leave the state unchanged and notify an administrator"
    case .cancelled: "run the same command to be asked again"
    case .denied: "if it was yours, start the sign-on again"
    case .expired: "start the sign-on again"
    case .notFound: "\"authctl accounts\" and \"authctl notifications\" list the existing ones"
    case .notTheDaemon: "nothing more is sent to it; \"ss -xlp\" shows the listening program"
    case .notConfigured:
      "an administrator sets \"platform\" in mfad.conf; \"authctl enrol\" adds an account with pushes"
    case .output: "\"df\" shows whether the disk of the output is full"
    case .pairingFailed: "\"authctl doctor\" shows problems of this machine; then start the pairing again"
    case .permissionDenied: "run it as root or as a member of the group mfad-users"
    case .platformUnreachable: "\"authctl doctor\" shows the failed check"
    case .pushTestFailed: "fix the first failed test, then run the test again"
    case .signOnFailed: "the sign-on is over; start it again"
    case .timedOut: "--timeout SECONDS waits longer"
    case .toolMissing: "install it, or check its name and PATH"
    case .unreachable: "\"journalctl -u mfad\" may show the reason"
    case .usage: "--help lists the commands; COMMAND --help explains one"
    }
  }
}

/// An error that the daemon returned.
public struct DaemonError: Error, Sendable {
  /// The error object as received.
  public let json: JSON
  public let error: RPCError
  /// The command's own hint, which replaces the hint of the error.
  public var advice: SafeText?
  /// The name that the user gave, if no object has this name.
  public var named: SafeText?

  /// Reads an error object; `nil` if it is not one.
  public init?(_ json: JSON) {
    guard let error = try? RPCError(reading: json) else { return nil }
    (self.json, self.error) = (json, error)
  }

  /// Creates an error as the daemon returns it.
  public init(_ error: RPCError) { (json, self.error) = (error.json, error) }

  /// True if it has the code of one of these errors.
  public func isOne(of errors: RPCError...) -> Bool { errors.contains { $0.code == error.code } }

  /// True if the named parameter was wrong or missing.
  public func isAbout(parameter: String) -> Bool { details?.parameter == parameter }

  /// True if the named policy of the server was not met.
  public func isAbout(policy: String) -> Bool { details?.policy == policy }

  /// Number of attempts left; `nil` if the daemon did not report it.
  public var triesLeft: Int? { details?.triesLeft }

  /// The available methods of user verification, if it is required.
  public var methods: [String] { details?.methods ?? [] }

  /// The matching accounts, if there are several.
  public var accounts: [SafeText] { (details?.accounts ?? []).map { "\($0)" } }

  public var message: SafeText {
    if isOne(of: .accountLocked), let lock { return "\(error.message): \(LockText.words(lock))" }
    let message: SafeText = isWrongPIN ? "wrong PIN" : "\(error.message)"
    switch triesLeft {
    case nil: return named.map { "\(message): \"\($0)\"" } ?? message
    case 0? where isWrongPIN: return "\(message), and it is disabled now"
    case 0?:
      let lock = details?.lock.map { "; the account is locked \(LockText.words($0))" as SafeText } ?? ""
      return "\(message), and the request is denied now\(lock)"
    case let tries?: return "\(message) (\(tries) \(tries == 1 ? "try" : "tries") left)"
    }
  }

  public var hint: SafeText? {
    if let advice { return advice }
    if triesLeft == 0 {
      if isOne(of: .numberMismatch) { return "if it was yours, start the sign-on again" }
      if isWrongPIN { return RPCError.pinDisabled.hint.map { "\($0)" } }
    }
    if isOne(of: .rateLimited), let seconds = details?.retryAfter { return "try again in \(seconds) s" }
    if isOne(of: .accountLocked), let lock, lock.expiresAt == nil { return "an administrator can end it" }
    return error.hint.map { "\($0)" }
  }

  /// True if a PIN was tried and was wrong; only then an error of user verification has a number of tries.
  private var isWrongPIN: Bool { isOne(of: .pinWrong, .presenceFailed) && triesLeft != nil }

  private var details: ErrorDetails? { try? ErrorDetails(reading: .object(error.details)) }

  private var lock: AccountLock? { try? AccountLock(reading: .object(error.details)) }
}
