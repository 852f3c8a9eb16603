import EventLoop
import HTTPServer
import JSON

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

  /// The value of a query parameter.
  func query(_ name: String) -> String? { request.query?.first { $0.0 == name }?.1 }

  /// The user whose identifier is in the path.
  func user() throws(PingOneError) -> User {
    guard let user = tenant.users[id("user", of: User.self)] else { throw .notFound }
    return user
  }
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
