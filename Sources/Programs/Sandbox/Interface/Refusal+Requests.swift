import JSON

// What any endpoint may answer.
extension Refusal {
  static let unauthorized = failed(401, "INVALID_TOKEN", "A valid access token is needed.")
    .challenging("Bearer")
  static let accessFailed = failed(403, "ACCESS_FAILED", "You do not have access to this resource.")
  static let notFound = failed(404, "NOT_FOUND", "The requested resource was not found.")
  static let methodNotAllowed = failed(405, "METHOD_NOT_ALLOWED", "The resource does not support the method.")
  static let unsupportedMediaType =
    failed(415, "UNSUPPORTED_MEDIA_TYPE", "The content type is not supported.")
  /// Something failed that no request should make fail.
  static let unexpected = failed(500, "UNEXPECTED_ERROR", "There was an unexpected error with the service.")

  private static func failed(_ status: Int, _ code: String, _ reason: String) -> Refusal {
    Refusal(status, code, "The request could not be completed. \(reason)")
  }

  /// The request is no JSON object, or breaks a rule that no member is to blame for.
  static func invalidRequest(_ message: String) -> Refusal { Refusal(400, "INVALID_REQUEST", message) }

  /// A member is missing or not as it should be.
  static func invalid(
    _ target: String,
    _ message: String,
    code: String = "INVALID_VALUE",
    innerError: JSON? = nil
  ) -> Refusal {
    failed(400, "INVALID_DATA", "One or more validation errors were in the request.")
      .because(code, target, message, innerError)
  }

  static func outOfRange(_ target: String, _ range: ClosedRange<Int>) -> Refusal {
    let message = "must be an integer from \(range.lowerBound) to \(range.upperBound)"
    return .invalid(target, message, innerError: .range(range))
  }

  static func notAllowed(_ target: String, _ allowed: [String]) -> Refusal {
    let message = "must be one of \(allowed.joined(separator: ", "))"
    return .invalid(target, message, innerError: ["allowedValues": .strings(allowed)])
  }

  static func taken(_ target: String) -> Refusal {
    .invalid(target, "is already in use", code: "UNIQUENESS_VIOLATION")
  }

  /// The sandbox itself takes no more of these.
  static func full(_ things: String) -> Refusal {
    .invalidRequest("The sandbox has as many \(things) as it takes.")
  }
}
