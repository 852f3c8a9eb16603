import EventLoop
import HTTPServer
import JSON
import WebAddress

/// One request to an endpoint, with the parameters of its path.
@EventLoop
struct Call {
  let tenant: Tenant
  let request: HTTPRequest
  let parameters: [String: String]

  func id<Kind>(_ name: String, of kind: Kind.Type) -> ID<Kind> { ID(parameters[name] ?? "") }

  /// Returns the body as a JSON object.
  ///
  /// The media type must be JSON. An empty body has no members.
  func body() throws(ErrorResponse) -> Members {
    if request.body.isEmpty { return Members() }
    guard request.headers.mediaType == "application/json" else { throw .unsupportedMediaType }
    return try Members(parsing: request.body)
  }

  func actionBody() throws(ErrorResponse) -> Members { try Members(parsing: request.body) }

  func form() throws(ErrorResponse) -> [String: String] {
    guard request.headers.mediaType == "application/x-www-form-urlencoded" else {
      throw .badRequest("the body must be a form")
    }
    guard let text = String(validating: request.body, as: UTF8.self),
      let parameters = FormEncoding.decode(text)
    else { throw .badRequest("the form is malformed") }
    return try Self.unique(parameters)
  }

  /// Returns the parameters of the query; each may occur once.
  func queryParameters() throws(ErrorResponse) -> [String: String] { try Self.unique(request.query ?? []) }

  /// Returns the parameters of the form if a POST request has one, otherwise of the query.
  func queryOrForm() throws(ErrorResponse) -> [String: String] {
    request.method == "POST" && !request.body.isEmpty ? try form() : try queryParameters()
  }

  private static func unique(_ parameters: [(String, String)]) throws(ErrorResponse) -> [String: String] {
    var result: [String: String] = [:]
    for (name, value) in parameters {
      // A parameter must not occur more than once, RFC 6749 section 3.1.
      guard result.updateValue(value, forKey: name) == nil else {
        throw .badRequest("a parameter occurs twice")
      }
    }
    return result
  }

  func query(_ name: String) -> String? { request.query?.first { $0.0 == name }?.1 }
}

/// The handler of a route, with its access rule.
struct Endpoint: Sendable {
  typealias Run = @EventLoop @Sendable (Call) async throws(ErrorResponse) -> HTTPResponse

  enum Access: Sendable {
    /// Any client; the endpoint may check access itself.
    case anyone
    case administrator
    /// The administrator, and the user in the path with a token of this scope.
    case owner(scope: String)
  }

  let access: Access
  let run: Run
}

extension Route where Endpoint == Sandbox.Endpoint {
  static func administrator(_ method: String, _ pattern: String, _ run: @escaping Endpoint.Run) -> Route {
    Route(method, pattern, Endpoint(access: .administrator, run: run))
  }

  /// Returns the administrator's route to an action on a resource; the media type selects the action.
  static func action(_ name: String, _ pattern: String, _ run: @escaping Endpoint.Run) -> Route {
    let mediaType = "application/vnd.pingidentity.\(name)+json"
    return Route("POST", pattern, mediaType: mediaType, Endpoint(access: .administrator, run: run))
  }

  static func anyone(_ method: String, _ pattern: String, _ run: @escaping Endpoint.Run) -> Route {
    Route(method, pattern, Endpoint(access: .anyone, run: run))
  }

  /// Returns a route to devices, for the administrator and for the self-service of their user.
  ///
  /// The media type of a request selects `action`.
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

extension Call {
  private static let scheme = "Bearer "

  /// The token of the request.
  var bearer: Substring? {
    guard let header = request.headers["authorization"], header.hasPrefix(Self.scheme) else { return nil }
    return header.dropFirst(Self.scheme.count)
  }

  var isAdministrator: Bool { isSameSecret(String(bearer ?? ""), tenant.adminToken) }

  /// Throws if a request has no valid token, or if its token is for another scope or another user.
  func require(_ access: Endpoint.Access) throws(ErrorResponse) {
    if case .anyone = access { return }
    guard !isAdministrator else { return }
    guard let token = bearer.flatMap({ tenant.accessToken($0) }), token.realm == nil else {
      throw .unauthorized
    }
    guard case .owner(let scope) = access, token.user.id.text == parameters["user"],
      (token.claims["scope"]?.string ?? "").split(separator: " ").contains(Substring(scope))
    else { throw .accessFailed }
  }
}

/// An object that the platform's APIs return.
protocol Resource: Stored { @EventLoop func json(in tenant: Tenant) -> JSON }

extension Call {
  private static let limits = 1...1000

  func one<Thing: Stored>(_ name: String, of things: [Thing]) throws(ErrorResponse) -> Thing {
    guard let thing = things.first(where: { $0.id.text == parameters[name] }) else { throw .notFound }
    return thing
  }

  func one<Thing: Stored>(_ name: String, in shelf: RecordStore<Thing>) throws(ErrorResponse) -> Thing {
    guard let thing = shelf[id(name, of: Thing.self)] else { throw .notFound }
    return thing
  }

  func user() throws(ErrorResponse) -> PlatformUser { try one("user", in: tenant.users) }

  func shown(_ resource: some Resource, _ status: Int = 200) -> HTTPResponse {
    .json(status, resource.json(in: tenant))
  }

  /// Returns a list of resources in HAL format, limited by the query.
  func page(
    _ name: String,
    of things: [some Resource],
    links: JSONObject = [:],
    more: JSONObject = [:]
  ) throws(ErrorResponse) -> HTTPResponse {
    let page = things.prefix(try limit()).map { $0.json(in: tenant) }
    let links: JSON = .links(["self": "\(tenant.url)\(request.path)"], adding: links)
    let body: KeyValuePairs<String, (any Shown)?> = [
      "_links": links, "_embedded": JSONObject([(name, .array(page))]), "count": things.count,
      "size": page.count,
    ]
    return .json(200, .of(body, adding: more))
  }

  private func limit() throws(ErrorResponse) -> Int {
    guard let text = query("limit") else { return 100 }
    guard let limit = Int(text), Self.limits.contains(limit) else { throw .outOfRange("limit", Self.limits) }
    return limit
  }
}

extension Members {
  /// Returns true if a member refers to `id`, the only object of its kind, and false if the member is absent.
  ///
  /// Throws if the member refers to another object.
  func names<Thing>(_ name: String, _ id: ID<Thing>, _ kind: String) throws(ErrorResponse) -> Bool {
    guard let named = try reference(name, to: Thing.self) else { return false }
    guard named == id else { throw invalid("\(name).id", "is not \(kind) of this environment") }
    return true
  }

  /// Returns an object that an application passes to the device; the sandbox does not interpret it.
  func context(_ name: String) throws(ErrorResponse) -> JSON? {
    try members(name, maximum: 8 * 1024)?.object.json
  }
}
