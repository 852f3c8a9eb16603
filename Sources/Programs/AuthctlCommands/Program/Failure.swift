internal import JSON

/// Why a command did not do what it was asked to.
package enum Failure: Error, Sendable {
  /// The daemon answered with an error.
  case refused(Refusal)
  /// Something failed on this side of the socket.
  case failed(Complaint)
  /// A signal asks the program to end.
  case interrupted(signal: Int32)

  /// The stable name of a failure on this side, `data.reason` of its error object.
  package enum Reason: String, CaseIterable, Sendable {
    case alreadyAnswered = "ALREADY_ANSWERED"
    case ambiguous = "AMBIGUOUS"
    case cancelled = "CANCELLED"
    case denied = "DENIED"
    case expired = "EXPIRED"
    case notFound = "NOT_FOUND"
    case notTheDaemon = "NOT_THE_DAEMON"
    case output = "OUTPUT"
    case pairingFailed = "PAIRING_FAILED"
    case permissionDenied = "PERMISSION_DENIED"
    case pushTestFailed = "PUSH_TEST_FAILED"
    case signOnFailed = "SIGN_ON_FAILED"
    case timedOut = "TIMED_OUT"
    case unreachable = "UNREACHABLE"
    case usage = "USAGE"
  }

  /// A failure on this side of the socket; a list names what fits, and details are the same for `--json`.
  static func local(
    _ reason: Reason,
    _ message: SafeText,
    hint: SafeText? = nil,
    list: [SafeText] = [],
    details: JSON? = nil
  ) -> Failure {
    .failed(Complaint(reason: reason, message: message, hint: hint, list: list, details: details))
  }

  /// How the program ends for it.
  package var exitCode: ExitCode {
    switch self {
    case .refused(let refusal): ExitCode(errorCode: refusal.code)
    case .failed(let complaint): ExitCode(complaint.reason)
    case .interrupted: .refused
    }
  }

  /// The error as `--json` prints it.
  var object: JSON {
    switch self {
    case .refused(let refusal): ["error": .object(refusal.error)]
    case .failed(let complaint): ["error": .object(complaint.object)]
    case .interrupted: ["error": ["code": 0, "message": "interrupted"]]
    }
  }
}

/// What failed on this side of the socket.
package struct Complaint: Sendable {
  let reason: Failure.Reason
  let message: SafeText
  let hint: SafeText?
  let list: [SafeText]
  let details: JSON?

  /// The error object; its code is 0, which the daemon never uses.
  fileprivate var object: JSONObject {
    let mayRetry: Set<Failure.Reason> = [.cancelled, .timedOut, .unreachable]
    var data: JSONObject = ["reason": .string(reason.rawValue), "retry": .bool(mayRetry.contains(reason))]
    data["details"] = details
    return ["code": 0, "message": .string(message.text), "data": .object(data)]
  }
}

/// An error that the daemon answered with, section 4 of the control API.
package struct Refusal: Sendable {
  /// The error object as it came.
  let error: JSONObject
  let code: Int
  let message: String

  /// Takes an error object apart; `nil` if it is none.
  init?(_ error: JSON) {
    guard let object = error.object, let code = object["code"]?.int, let message = object["message"]?.string
    else { return nil }
    self.error = object
    self.code = code
    self.message = message
  }

  var details: JSON? { error["data"]?["details"] }

  /// How many more wrong answers are allowed, if the daemon said so.
  var triesLeft: Int? { details?["triesLeft"]?.int }
}

extension Refusal {
  static let platformFailed = 10003
  static let unreachablePlatform = 10004
  static let notPaired = 10008
  static let accountLocked = 11014
  static let invalidParams = -32602
  static let numberRequired = 11007
  static let numberMismatch = 11008
  static let notFound = 11002
  static let conflict = 11011
}
