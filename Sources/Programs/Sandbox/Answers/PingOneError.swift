import HTTPServer
import JSON

/// A refusal in the platform's form, `{id, code, message, details}`, or where OAuth says so in OAuth's.
struct PingOneError: Error, Sendable {
  /// What exactly is wrong with one member of the request.
  struct Detail: Sendable {
    let code: String
    let target: String?
    let message: String
    var innerError: JSON?
  }

  let status: Int
  let code: String
  let message: String
  var details: [Detail] = []
  /// Further members, where the device service says so.
  var extra: JSONObject = [:]
  /// Whether it is told as RFC 6749 section 5.2 says: `{error, error_description}`.
  var isOAuth = false

  var json: JSON {
    if isOAuth { return ["error": .string(code), "error_description": .string(message)] }
    var members: JSONObject = [
      "id": .string(ID<PingOneError>.random().text), "code": .string(code), "message": .string(message),
    ]
    if !details.isEmpty { members["details"] = .array(details.map(\.json)) }
    for member in extra.members { members[member.name] = member.value }
    return .object(members)
  }

  var response: HTTPResponse { .json(status, json) }
}

extension PingOneError.Detail {
  fileprivate var json: JSON {
    .present([
      ("code", .string(code)), ("target", target.map { .string($0) }), ("message", .string(message)),
      ("innerError", innerError),
    ])
  }
}

extension PingOneError {
  /// A member is missing or not as it should be.
  static func invalid(
    _ target: String,
    _ message: String,
    code: String = "INVALID_VALUE",
    innerError: JSON? = nil
  ) -> PingOneError {
    PingOneError(
      status: 400,
      code: "INVALID_DATA",
      message: "The request could not be completed. One or more validation errors were in the request.",
      details: [Detail(code: code, target: target, message: message, innerError: innerError)]
    )
  }

  /// The request is no JSON object, or breaks a rule that no member is to blame for.
  static func invalidRequest(_ message: String) -> PingOneError {
    PingOneError(status: 400, code: "INVALID_REQUEST", message: message)
  }

  /// The sandbox itself takes no more of these.
  static func full(_ things: String) -> PingOneError {
    .invalidRequest("The sandbox has as many \(things) as it takes.")
  }

  /// A refusal by an OAuth endpoint, RFC 6749 section 5.2.
  static func oauth(_ code: String, _ description: String, status: Int = 400) -> PingOneError {
    PingOneError(status: status, code: code, message: description, isOAuth: true)
  }

  static let notFound = PingOneError(
    status: 404,
    code: "NOT_FOUND",
    message: "The request could not be completed. The requested resource was not found."
  )

  static let unauthorized = PingOneError(
    status: 401,
    code: "INVALID_TOKEN",
    message: "The request could not be completed. A valid access token is needed."
  )

  static let unsupportedMediaType = PingOneError(
    status: 415,
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "The request could not be completed. The content type is not supported."
  )

  static let methodNotAllowed = PingOneError(
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    message: "The request could not be completed. The resource does not support the method."
  )

  /// Something failed that no request should make fail.
  static let unexpected = PingOneError(
    status: 500,
    code: "UNEXPECTED_ERROR",
    message: "The request could not be completed. There was an unexpected error with the service."
  )
}
