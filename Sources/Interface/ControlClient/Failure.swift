internal import ControlAPI
public import JSON
public import JSONRPC

/// Why a command did not do what it was asked to.
public enum Failure: Error, Sendable {
  /// The daemon refused it.
  case refused(DaemonError)
  /// Something failed on this side of the socket.
  case failed(Complaint)
  /// The result, which was printed, says already what is wrong.
  case told(ExitCode)
  /// A signal asks the program to end.
  case interrupted(signal: Int32)

  /// The stable name of a failure on this side, the reason of its error object.
  public enum Reason: String, CaseIterable, Sendable {
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

  public static let notTheDaemon = local(.notTheDaemon, "what came back is not the daemon's protocol")
}

/// What failed on this side of the socket.
public struct Complaint: Sendable {
  public let reason: Failure.Reason
  public let message: SafeText
  public let hint: SafeText
  /// What fits, or what is wrong one by one.
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
  /// How a command ends that an error of this code kept from everything.
  public static func exitCode(of code: Int) -> ExitCode {
    documented.first { $0.code == code }?.exitCode ?? .refused
  }
}

extension Failure.Reason {
  /// What a person can do next, where whoever failed knows nothing better.
  public var hint: SafeText {
    switch self {
    case .alreadyAnswered: "\"authctl notifications --all\" shows how it ended"
    case .ambiguous: "name one by its id, or the beginning of it"
    case .auditBroken: "keep the state as it is, and tell an administrator"
    case .cancelled: "the same command asks again"
    case .denied: "if it was yours, begin the sign-on again"
    case .expired: "begin the sign-on again"
    case .notFound: "\"authctl accounts\" and \"authctl notifications\" list what there is"
    case .notTheDaemon: "nothing more is sent to it; \"ss -xlp\" says who listens"
    case .output: "\"df\" says whether there is room where it is written to"
    case .pairingFailed: "\"authctl doctor\" says what is wrong here; then begin the pairing again"
    case .permissionDenied: "root may, and members of the group mfad-users"
    case .platformUnreachable: "\"authctl doctor\" says how far it gets"
    case .pushTestFailed: "mend what failed first, and test again"
    case .signOnFailed: "the sign-on is over; start it again"
    case .timedOut: "--timeout SECONDS waits longer"
    case .toolMissing: "install it, or look at its name and at PATH"
    case .unreachable: "the daemon's journal may say why: \"journalctl -u mfad\""
    case .usage: "--help lists the commands, and after one explains it"
    }
  }
}

/// An error that the daemon answered with.
public struct DaemonError: Error, Sendable {
  /// The error object as it came.
  public let json: JSON
  public let error: RPCError
  /// What the command knows to advise beside what is known of the error.
  public var advice: SafeText?
  /// What the command named, where there is none of that name.
  public var named: SafeText?

  /// Reads an error object; `nil` if it is none.
  public init?(_ json: JSON) {
    guard let error = try? RPCError(reading: json) else { return nil }
    (self.json, self.error) = (json, error)
  }

  /// Whether it is an error of the interface, whatever it tells beside its name.
  public func isOne(of errors: RPCError...) -> Bool { errors.contains { $0.code == error.code } }

  /// Whether one parameter was wrong or missing, by its name.
  public func isAbout(parameter: String) -> Bool { details?.parameter == parameter }

  /// Whether a policy of the other side was not met, by its name.
  public func isAbout(policy: String) -> Bool { details?.policy == policy }

  /// How many more wrong numbers are allowed, if the daemon said so.
  public var triesLeft: Int? { details?.triesLeft }

  /// How this machine can make sure of the person, where that is wanted.
  public var methods: [String] { details?.methods ?? [] }

  /// The accounts that fit, where several do.
  public var accounts: [SafeText] { (details?.accounts ?? []).map { "\($0)" } }

  public var message: SafeText {
    if isOne(of: .accountLocked), let lock { return "\(error.message): \(LockText.words(lock))" }
    switch triesLeft {
    case nil: return named.map { "\(error.message): \"\($0)\"" } ?? "\(error.message)"
    case 0? where isOne(of: .pinWrong, .presenceFailed): return "\(error.message), and it is disabled now"
    case 0?:
      let lock = details?.lock.map { "; the account is locked \(LockText.words($0))" as SafeText } ?? ""
      return "\(error.message), and the request is denied now\(lock)"
    case let tries?: return "\(error.message) (\(tries) \(tries == 1 ? "try" : "tries") left)"
    }
  }

  public var hint: SafeText? {
    if let advice { return advice }
    if triesLeft == 0 {
      if isOne(of: .numberMismatch) { return "if it was yours, start the sign-on again" }
      if isOne(of: .pinWrong, .presenceFailed) { return RPCError.pinDisabled.hint.map { "\($0)" } }
    }
    if isOne(of: .rateLimited), let seconds = details?.retryAfter { return "try again in \(seconds) s" }
    if isOne(of: .accountLocked), let lock, lock.expiresAt == nil { return "an administrator can open it" }
    return error.hint.map { "\($0)" }
  }

  private var details: ErrorDetails? { try? ErrorDetails(reading: .object(error.details)) }

  private var lock: AccountLock? { try? AccountLock(reading: .object(error.details)) }
}
