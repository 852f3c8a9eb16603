import HTTPServer
import JSON

/// An error in the platform's format, `{id, code, message, details}`, or in the format of another protocol.
struct ErrorResponse: Error {
  /// The error of one member of the request.
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
  /// A body that replaces the platform's format.
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

  func withDetail(_ code: String, _ target: String, _ message: String, _ innerError: JSON? = nil)
    -> ErrorResponse
  {
    var refusal = self
    refusal.details.append(Detail(code: code, target: target, message: message, innerError: innerError))
    return refusal
  }

  /// Returns the error with further members, which the device service defines.
  func with(_ more: JSONObject) -> ErrorResponse {
    var refusal = self
    refusal.more = more
    return refusal
  }

  /// Returns the error with a challenge for a request without the required token, RFC 6750 section 3.
  func challenging(_ challenge: String) -> ErrorResponse {
    var refusal = self
    refusal.challenge = challenge
    return refusal
  }

  /// The message for a user: the message of the first detail, if there is one.
  var shortMessage: String { details.first?.message ?? message }

  /// The message for a program: the member and the message of the first detail, if there is one.
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

// Errors of any endpoint.
extension ErrorResponse {
  static let unauthorized = failed(401, "INVALID_TOKEN", "A valid access token is required.")
    .challenging("Bearer")
  static let accessFailed = failed(403, "ACCESS_FAILED", "You do not have access to this resource.")
  static let notFound = failed(404, "NOT_FOUND", "The requested resource was not found.")
  static let methodNotAllowed = failed(405, "METHOD_NOT_ALLOWED", "The resource does not support the method.")
  static let unsupportedMediaType =
    failed(415, "UNSUPPORTED_MEDIA_TYPE", "The content type is not supported.")
  /// An internal failure that no request should cause.
  static let unexpected = failed(500, "UNEXPECTED_ERROR", "There was an unexpected error with the service.")

  private static func failed(_ status: Int, _ code: String, _ reason: String) -> ErrorResponse {
    ErrorResponse(status, code, "The request could not be completed. \(reason)")
  }

  /// The request is not a JSON object, or violates a rule that does not concern one member.
  static func invalidRequest(_ message: String) -> ErrorResponse {
    ErrorResponse(400, "INVALID_REQUEST", message)
  }

  /// A member is missing or invalid.
  static func invalid(
    _ target: String,
    _ message: String,
    code: String = "INVALID_VALUE",
    innerError: JSON? = nil
  ) -> ErrorResponse {
    failed(400, "INVALID_DATA", "One or more validation errors were in the request.")
      .withDetail(code, target, message, innerError)
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

  /// The sandbox has reached its limit for these objects.
  static func full(_ things: String) -> ErrorResponse {
    .invalidRequest("The sandbox has the maximum number of \(things).")
  }
}

/// The reason why an operation of a resource failed.
struct FailureReason: Codable, Equatable, Shown {
  let code: String
  let message: String

  init(_ code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  var json: JSON { ["code": .string(code), "message": .string(message)] }
}
