import HTTPServer
import JSON
import Time

/// A refusal in the platform's form, `{id, code, message, details}`, or where OAuth says so in OAuth's.
enum Refusal: Error, Sendable {
  // What any endpoint may answer.
  case unauthorized, accessFailed, notFound, methodNotAllowed, unsupportedMediaType
  /// Something failed that no request should make fail.
  case unexpected
  /// A member is missing or not as it should be.
  case invalidData(Detail)
  /// The request is no JSON object, or breaks a rule that no member is to blame for.
  case invalidRequest(String)
  case limitExceeded(String)
  /// RFC 6749 section 5.2: `{error, error_description}`.
  case oauth(String, String, status: Int = 400)
  case fault(Int)

  // Who a device is.
  case deviceUnknown, deviceMismatch, deviceNotPaired, userNotPaired
  case invalidProof(String)
  case clockSkew(serverTime: Timestamp)

  // What a device may do.
  case accountLocked(JSONObject)
  case integrityFailed
  case requirementsUnmet([String])
  case cursorUnknown
  case notificationExpired(JSONObject), notificationAnswered(JSONObject)
  case numberMissing(JSONObject), numberWrong(JSONObject)
  /// The code is unknown, used, expired or another device's.
  case codeRefused
  case codeExpired(JSONObject), codeAnswered(JSONObject)

  // Pairing.
  /// The key is unknown, used, expired or withdrawn: which of these is nobody's business who cannot use it.
  case pairingKeyRefused
  /// The key is for another app than the one on the device.
  case otherApplication
  case wrongGeography(Geography)
  case pairingDisabled
  case tooManyDevices(Int)
  case passcodeInvalid(triesLeft: Int)
  case passcodeRetriesExceeded, passcodeExpired, clockUnsynchronized

  /// What exactly is wrong with one member of the request.
  struct Detail: Sendable {
    let code: String
    let target: String
    let message: String
    var innerError: JSON?

    init(_ code: String, _ target: String, _ message: String, innerError: JSON? = nil) {
      self.code = code
      self.target = target
      self.message = message
      self.innerError = innerError
    }

    var json: JSON { .of(["code": code, "target": target, "message": message, "innerError": innerError]) }
  }
}

extension Refusal {
  static func invalid(
    _ target: String,
    _ message: String,
    code: String = "INVALID_VALUE",
    innerError: JSON? = nil
  ) -> Refusal { .invalidData(Detail(code, target, message, innerError: innerError)) }

  static func outOfRange(_ target: String, _ range: ClosedRange<Int>) -> Refusal {
    .invalid(
      target,
      "must be an integer from \(range.lowerBound) to \(range.upperBound)",
      innerError: .range(range)
    )
  }

  static func notAllowed(_ target: String, _ allowed: [String]) -> Refusal {
    .invalid(
      target,
      "must be one of \(allowed.joined(separator: ", "))",
      innerError: ["allowedValues": .strings(allowed)]
    )
  }

  /// OAuth's `invalid_request`.
  static func badRequest(_ description: String) -> Refusal { .oauth("invalid_request", description) }

  /// OAuth's `invalid_grant`.
  static func badGrant(_ description: String) -> Refusal { .oauth("invalid_grant", description) }

  static func taken(_ target: String) -> Refusal {
    .invalid(target, "is already in use", code: "UNIQUENESS_VIOLATION")
  }

  /// The sandbox itself takes no more of these.
  static func full(_ things: String) -> Refusal {
    .invalidRequest("The sandbox has as many \(things) as it takes.")
  }

  var code: String { row.code }
  var message: String { row.message }

  /// What a person is told: what exactly is wrong, if that is known.
  var shortMessage: String { details.first?.message ?? message }

  var json: JSON {
    if case .oauth(let code, let description, _) = self {
      return ["error": .string(code), "error_description": .string(description)]
    }
    var members: JSONObject = [
      "id": .string(ID<Refusal>.random().text), "code": .string(code), "message": .string(message),
    ]
    if !details.isEmpty { members["details"] = .array(details.map(\.json)) }
    return .object(members.adding(extra))
  }

  var response: HTTPResponse { .json(row.status, json) }
}
