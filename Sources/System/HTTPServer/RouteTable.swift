internal import Text

/// A method and a path pattern with what is to be done for them.
package struct Route<Endpoint> {
  package let method: String
  /// The path; a segment `{name}` stands for any identifier.
  package let pattern: String
  /// The media type that selects this route among those with the same method and path; `nil` takes any.
  package let mediaType: String?
  /// What the route leads to.
  package let endpoint: Endpoint

  /// A route from its parts.
  package init(_ method: String, _ pattern: String, mediaType: String? = nil, _ endpoint: Endpoint) {
    self.method = method
    self.pattern = pattern
    self.mediaType = mediaType
    self.endpoint = endpoint
  }
}

/// Where a request leads.
package enum RouteMatch<Endpoint> {
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
package struct RouteTable<Endpoint> {
  /// By how many segments their paths have.
  private let routes: [Int: [(segments: [Substring], route: Route<Endpoint>)]]

  /// A table of routes; the first that fits counts.
  package init(_ routes: [Route<Endpoint>]) {
    let entries = routes.map { route in
      (segments: route.pattern.split(separator: "/", omittingEmptySubsequences: false), route: route)
    }
    self.routes = Dictionary(grouping: entries) { $0.segments.count }
  }

  /// Finds where a request leads; the media type is one in lower case, without parameters.
  package func match(method: String, path: Substring, mediaType: String?) -> RouteMatch<Endpoint> {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    let onPath = routes[segments.count, default: []].filter { Self.fits(segments, $0.segments) }
    guard !onPath.isEmpty else { return .notFound }
    let withMethod = onPath.filter { $0.route.method == method }
    guard !withMethod.isEmpty else {
      return .methodNotAllowed(Set(onPath.map(\.route.method)).sorted())
    }
    let chosen = withMethod.first { entry in
      entry.route.mediaType.map { $0.lowercased() == mediaType } ?? true
    }
    guard let chosen else { return .unsupportedMediaType }
    return .found(chosen.route.endpoint, parameters: Self.parameters(of: segments, in: chosen.segments))
  }

  private static func fits(_ segments: [Substring], _ pattern: [Substring]) -> Bool {
    zip(segments, pattern).allSatisfy { segment, expected in
      expected.hasPrefix("{") ? segment.isIdentifier : segment == expected
    }
  }

  private static func parameters(of segments: [Substring], in pattern: [Substring]) -> [String: String] {
    var parameters: [String: String] = [:]
    for (segment, expected) in zip(segments, pattern) where expected.hasPrefix("{") {
      parameters[String(expected.dropFirst().dropLast())] = String(segment)
    }
    return parameters
  }
}

extension Route: Sendable where Endpoint: Sendable {}

extension RouteTable: Sendable where Endpoint: Sendable {}
