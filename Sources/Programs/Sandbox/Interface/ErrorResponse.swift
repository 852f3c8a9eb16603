import HTTPServer
import JSON

/// A refusal in the platform's form, `{id, code, message, details}`, or in that of another protocol.
struct ErrorResponse: Error {
  /// What exactly is wrong with one member of the request.
  private struct Detail {
    let code: String
    let target: String
    let message: String
    let innerError: JSON?

    var json: JSON { .of(["code": code, "target": target, "message": message, "innerError": innerError]) }
  }

  let status: Int
  let code: String
  let message: String
  /// What is said in place of the platform's form.
  let form: JSON?
  private var details: [Detail] = []
  private var more: JSONObject = [:]
  private var challenge: String?

  init(_ status: Int, _ code: String, _ message: String, form: JSON? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.form = form
  }

  func because(_ code: String, _ target: String, _ message: String, _ innerError: JSON? = nil)
    -> ErrorResponse
  {
    var refusal = self
    refusal.details.append(Detail(code: code, target: target, message: message, innerError: innerError))
    return refusal
  }

  /// The refusal with further members, where the device service says so.
  func with(_ more: JSONObject) -> ErrorResponse {
    var refusal = self
    refusal.more = more
    return refusal
  }

  /// The refusal of a request without the token that it needs, RFC 6750 section 3.
  func challenging(_ challenge: String) -> ErrorResponse {
    var refusal = self
    refusal.challenge = challenge
    return refusal
  }

  /// What a person is told: what exactly is wrong, if that is known.
  var shortMessage: String { details.first?.message ?? message }

  /// What a program is told in one text: what exactly is wrong, and with which member.
  var exactMessage: String { details.first.map { "\($0.target): \($0.message)" } ?? message }

  var json: JSON {
    if let form { return form }
    let members = JSONObject(of: [
      "id": ID<ErrorResponse>.random(), "code": code, "message": message,
      "details": details.isEmpty ? nil : details.map(\.json),
    ])
    return .object(members.adding(more))
  }

  var response: HTTPResponse {
    let response = HTTPResponse.json(status, json)
    return challenge.map { response.with("WWW-Authenticate", $0) } ?? response
  }
}

// What any endpoint may answer.
extension ErrorResponse {
  static let unauthorized = failed(401, "INVALID_TOKEN", "A valid access token is needed.")
    .challenging("Bearer")
  static let accessFailed = failed(403, "ACCESS_FAILED", "You do not have access to this resource.")
  static let notFound = failed(404, "NOT_FOUND", "The requested resource was not found.")
  static let methodNotAllowed = failed(405, "METHOD_NOT_ALLOWED", "The resource does not support the method.")
  static let unsupportedMediaType =
    failed(415, "UNSUPPORTED_MEDIA_TYPE", "The content type is not supported.")
  /// Something failed that no request should make fail.
  static let unexpected = failed(500, "UNEXPECTED_ERROR", "There was an unexpected error with the service.")

  private static func failed(_ status: Int, _ code: String, _ reason: String) -> ErrorResponse {
    ErrorResponse(status, code, "The request could not be completed. \(reason)")
  }

  /// The request is no JSON object, or breaks a rule that no member is to blame for.
  static func invalidRequest(_ message: String) -> ErrorResponse {
    ErrorResponse(400, "INVALID_REQUEST", message)
  }

  /// A member is missing or not as it should be.
  static func invalid(
    _ target: String,
    _ message: String,
    code: String = "INVALID_VALUE",
    innerError: JSON? = nil
  ) -> ErrorResponse {
    failed(400, "INVALID_DATA", "One or more validation errors were in the request.")
      .because(code, target, message, innerError)
  }

  static func outOfRange(_ target: String, _ range: ClosedRange<Int>) -> ErrorResponse {
    let message = "must be an integer from \(range.lowerBound) to \(range.upperBound)"
    return .invalid(target, message, innerError: .range(range))
  }

  static func notAllowed(_ target: String, _ allowed: [String]) -> ErrorResponse {
    let message = "must be one of \(allowed.joined(separator: ", "))"
    return .invalid(target, message, innerError: ["allowedValues": .strings(allowed)])
  }

  static func taken(_ target: String) -> ErrorResponse {
    .invalid(target, "is already in use", code: "UNIQUENESS_VIOLATION")
  }

  /// The sandbox itself takes no more of these.
  static func full(_ things: String) -> ErrorResponse {
    .invalidRequest("The sandbox has as many \(things) as it takes.")
  }
}

/// Why something that a resource stands for came to nothing.
struct FailureReason: Codable, Equatable, Shown {
  let code: String
  let message: String

  init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  var json: JSON { ["code": .string(code), "message": .string(message)] }
}
