/// A method and a path pattern with what is to be done for them.
public struct Route<Endpoint> {
  public let method: String
  /// The path; a segment `{name}` stands for any identifier.
  public let pattern: String
  /// The media type that selects this route among those with the same method and path; `nil` takes any.
  public let mediaType: String?
  /// What the route leads to.
  public let endpoint: Endpoint

  /// A route from its parts.
  public init(_ method: String, _ pattern: String, mediaType: String? = nil, _ endpoint: Endpoint) {
    self.method = method
    self.pattern = pattern
    self.mediaType = mediaType
    self.endpoint = endpoint
  }
}

/// Where a request leads.
public enum RouteMatch<Endpoint> {
  /// To this endpoint, with the identifiers found in the path.
  case found(Endpoint, parameters: [String: String])
  /// The path exists, for these methods.
  case methodNotAllowed([String])
  /// Method and path exist, for other media types.
  case unsupportedMediaType
  /// There is no such path.
  case notFound
}

/// Finds the endpoint of a request by method, path and media type.
public struct RouteTable<Endpoint> {
  private let routes: [Route<Endpoint>]
  private let paths: PathTable

  /// A table of routes; the first that fits counts.
  public init(_ routes: [Route<Endpoint>]) {
    self.routes = routes
    paths = PathTable(routes.map(\.pattern))
  }

  /// Finds where a request leads; the media type is one in lower case, without parameters.
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
