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

  func id<Kind>(_ name: String, of kind: Kind.Type) -> ID<Kind> { ID(parameters[name] ?? "") }

  /// The body as a JSON object of the platform's ordinary media type; without a body no members.
  func body() throws(Refusal) -> Members {
    if request.body.isEmpty { return Members() }
    guard request.headers.mediaType == "application/json" else { throw .unsupportedMediaType }
    return try Members(parsing: request.body)
  }

  func actionBody() throws(Refusal) -> Members { try Members(parsing: request.body) }

  func form() throws(Refusal) -> [String: String] {
    guard request.headers.mediaType == "application/x-www-form-urlencoded" else {
      throw .badRequest("the body must be a form")
    }
    guard let text = String(validating: request.body, as: UTF8.self),
      let parameters = FormEncoding.decode(text)
    else { throw .badRequest("the form is malformed") }
    return try Self.unique(parameters)
  }

  /// The parameters of the query, each given once.
  func queryParameters() throws(Refusal) -> [String: String] { try Self.unique(request.query ?? []) }

  /// The parameters of the query, or of the form of a POST that has one.
  func queryOrForm() throws(Refusal) -> [String: String] {
    request.method == "POST" && !request.body.isEmpty ? try form() : try queryParameters()
  }

  private static func unique(_ parameters: [(String, String)]) throws(Refusal) -> [String: String] {
    var result: [String: String] = [:]
    for (name, value) in parameters {
      // RFC 6749 section 3.1: no parameter more than once.
      guard result.updateValue(value, forKey: name) == nil else {
        throw .badRequest("a parameter is given twice")
      }
    }
    return result
  }

  func query(_ name: String) -> String? { request.query?.first { $0.0 == name }?.1 }
}

/// What a route of the sandbox leads to, and who may go there.
struct Endpoint: Sendable {
  typealias Run = @EventLoop @Sendable (Call) async throws(Refusal) -> HTTPResponse

  enum Access: Sendable {
    /// Everybody: the endpoint has its own rules.
    case anyone
    case administrator
    /// The administrator, and the user of the path with a token of that scope.
    case owner(scope: String)
  }

  let access: Access
  let run: Run
}

extension Route where Endpoint == Sandbox.Endpoint {
  static func administrator(_ method: String, _ pattern: String, _ run: @escaping Endpoint.Run) -> Route {
    Route(method, pattern, Endpoint(access: .administrator, run: run))
  }

  /// A route for holders of the administrator's token, to an action on a resource that is chosen by media type.
  static func action(_ name: String, _ pattern: String, _ run: @escaping Endpoint.Run) -> Route {
    let mediaType = "application/vnd.pingidentity.\(name)+json"
    return Route("POST", pattern, mediaType: mediaType, Endpoint(access: .administrator, run: run))
  }

  static func anyone(_ method: String, _ pattern: String, _ run: @escaping Endpoint.Run) -> Route {
    Route(method, pattern, Endpoint(access: .anyone, run: run))
  }

  /// A route to devices that their user may go too, by self-service; some to an action.
  static func owner(
    _ right: String,
    _ method: String,
    _ pattern: String,
    action: String? = nil,
    _ run: @escaping Endpoint.Run
  ) -> Route {
    let endpoint = Endpoint(access: .owner(scope: "p1:\(right):device"), run: run)
    let mediaType = action.map { "application/vnd.pingidentity.\($0)+json" }
    return Route(method, pattern, mediaType: mediaType, endpoint)
  }
}
