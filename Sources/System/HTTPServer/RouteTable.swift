/// A method and a path pattern with their endpoint.
public struct Route<Endpoint> {
  public let method: String
  /// The path pattern; a segment `{name}` matches any identifier.
  public let pattern: String
  /// The media type that selects this route among those with the same method and path; `nil` for any.
  public let mediaType: String?
  public let endpoint: Endpoint

  /// A route from its parts.
  public init(_ method: String, _ pattern: String, mediaType: String? = nil, _ endpoint: Endpoint) {
    self.method = method
    self.pattern = pattern
    self.mediaType = mediaType
    self.endpoint = endpoint
  }
}

/// The result of matching a request.
public enum RouteMatch<Endpoint> {
  /// The endpoint, with the identifiers found in the path.
  case found(Endpoint, parameters: [String: String])
  /// The path exists, but only for these methods.
  case methodNotAllowed([String])
  /// The method and the path exist, but only for other media types.
  case unsupportedMediaType
  /// The path does not exist.
  case notFound
}

/// Finds the endpoint of a request by method, path and media type.
public struct RouteTable<Endpoint> {
  private let routes: [Route<Endpoint>]
  private let paths: PathTable

  /// A table of routes; the first matching route is used.
  public init(_ routes: [Route<Endpoint>]) {
    self.routes = routes
    paths = PathTable(routes.map(\.pattern))
  }

  /// Returns the match of a request; `mediaType` is in lower case, without parameters.
  public func match(method: String, path: Substring, mediaType: String?) -> RouteMatch<Endpoint> {
    let segments = PathPattern.segments(of: path)
    let onPath = paths.patterns(of: segments)
    guard !onPath.isEmpty else { return .notFound }
    let withMethod = onPath.filter { routes[$0.place].method == method }
    guard !withMethod.isEmpty else {
      return .methodNotAllowed(Set(onPath.map { routes[$0.place].method }).sorted())
    }
    let chosen = withMethod.first { pattern in
      routes[pattern.place].mediaType.map { $0.lowercased() == mediaType } ?? true
    }
    guard let chosen else { return .unsupportedMediaType }
    let parameters = chosen.parameters(in: segments).reduce(into: [:]) { $0[$1.name] = String($1.value) }
    return .found(routes[chosen.place].endpoint, parameters: parameters)
  }
}

extension Route: Sendable where Endpoint: Sendable {}

extension RouteTable: Sendable where Endpoint: Sendable {}
