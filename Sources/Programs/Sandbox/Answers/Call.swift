import EventLoop
import HTTPServer
import JSON
import WebAddress

/// One request to an endpoint, with what was found in its path.
@EventLoop
struct Call {
  let tenant: Tenant
  let request: HTTPRequest
  let parameters: [String: String]

  /// The identifier in the path under that name.
  func id<Kind>(_ name: String, of kind: Kind.Type) -> ID<Kind> { ID(parameters[name] ?? "") }

  /// The body as a JSON object of the platform's ordinary media type; without a body no members.
  func body() throws(PingOneError) -> Members {
    if request.body.isEmpty { return Members() }
    guard request.headers.mediaType == "application/json" else { throw .unsupportedMediaType }
    return try Members(parsing: request.body)
  }

  /// The body of an action, whose media type has chosen the endpoint.
  func actionBody() throws(PingOneError) -> Members { try Members(parsing: request.body) }

  /// The parameters of a form, each given once.
  func form() throws(PingOneError) -> [String: String] {
    guard request.headers.mediaType == "application/x-www-form-urlencoded" else {
      throw .oauth("invalid_request", "the body must be a form")
    }
    guard let text = String(validating: request.body, as: UTF8.self),
      let parameters = FormEncoding.decode(text)
    else { throw .oauth("invalid_request", "the form is malformed") }
    return try Self.unique(parameters)
  }

  /// The parameters of the query, each given once.
  func queryParameters() throws(PingOneError) -> [String: String] {
    try Self.unique(request.query ?? [])
  }

  /// The parameters of the query, or of the form of a POST that has one.
  func queryOrForm() throws(PingOneError) -> [String: String] {
    request.method == "POST" && !request.body.isEmpty ? try form() : try queryParameters()
  }

  private static func unique(_ parameters: [(String, String)]) throws(PingOneError) -> [String: String] {
    var result: [String: String] = [:]
    for (name, value) in parameters {
      // RFC 6749 section 3.1: no parameter more than once.
      guard result.updateValue(value, forKey: name) == nil else {
        throw .oauth("invalid_request", "a parameter is given twice")
      }
    }
    return result
  }

  /// The value of a query parameter.
  func query(_ name: String) -> String? { request.query?.first { $0.0 == name }?.1 }
}

/// What a route of the sandbox leads to, and who may go there.
struct Endpoint: Sendable {
  enum Access {
    /// Only with the administrator's token.
    case administrator
    /// Anybody; the endpoint has its own rules.
    case anyone
  }

  let access: Access
  let run: @EventLoop @Sendable (Call) async throws(PingOneError) -> HTTPResponse
}

extension Route where Endpoint == Sandbox.Endpoint {
  /// A route for holders of the administrator's token.
  static func administrator(
    _ method: String,
    _ pattern: String,
    mediaType: String? = nil,
    _ run: @escaping @EventLoop @Sendable (Call) async throws(PingOneError) -> HTTPResponse
  ) -> Route {
    Route(method, pattern, mediaType: mediaType, Endpoint(access: .administrator, run: run))
  }

  /// A route for holders of the administrator's token, to an action on a resource that is chosen by media type.
  static func action(
    _ name: String,
    _ pattern: String,
    _ run: @escaping @EventLoop @Sendable (Call) async throws(PingOneError) -> HTTPResponse
  ) -> Route {
    administrator("POST", pattern, mediaType: "application/vnd.pingidentity.\(name)+json", run)
  }

  /// A route for anybody.
  static func anyone(
    _ method: String,
    _ pattern: String,
    mediaType: String? = nil,
    _ run: @escaping @EventLoop @Sendable (Call) async throws(PingOneError) -> HTTPResponse
  ) -> Route {
    Route(method, pattern, mediaType: mediaType, Endpoint(access: .anyone, run: run))
  }
}
