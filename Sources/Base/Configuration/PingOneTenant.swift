internal import Text
public import WebAddress

/// The API and the environment in which PingOne manages the devices of an issuer's users.
public struct PingOneTenant: Sendable, Hashable {
  /// The base URL of the region's API, without its version.
  public let api: WebURL
  public let environment: String

  /// Maps the host of a region's issuers to the host of the region's API.
  static let regions = Dictionary(
    uniqueKeysWithValues: Geography.allCases.map { ("auth.\($0.domain)", "api.\($0.domain)") }
  )

  /// True if a URL is the API of a region; users' tokens may go only to these APIs and to loopback hosts.
  static func isPublished(_ api: WebURL) -> Bool {
    api.path == "/" && api.query == nil
      && regions.values.contains { WebURL("https://\($0)")?.origin == api.origin }
  }
}

extension Configuration {
  /// Returns the tenant of an issuer, from its published form
  /// `https://auth.pingone.<region>/<environment>/as`, otherwise from the configuration.
  ///
  /// The contents of web pages and links do not influence the result.
  public func tenant(of issuer: String) -> PingOneTenant? {
    guard let issuer = WebURL(issuer) else { return nil }
    let parts = issuer.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let named =
      parts.count == 2 && parts.last == "as" && issuer.query == nil ? parts.first.map(String.init) : nil
    if let named, named.isIdentifier, issuer.origin.scheme == .https, issuer.origin.port == 443,
      let host = PingOneTenant.regions[issuer.origin.host], let api = WebURL("https://\(host)")
    {
      return PingOneTenant(api: api, environment: named)
    }
    // In a sandbox, the issuer and the API have the same loopback origin.
    let local = allows(issuer) && issuer.origin.isLoopback ? WebURL(issuer.origin.text) : nil
    guard let api = pingOneAPI ?? local, let environment = pingOneEnvironment ?? named,
      environment.isIdentifier
    else { return nil }
    return PingOneTenant(api: api, environment: environment)
  }
}

/// A geography of PingOne; the raw value is the name in the native SDK.
public enum Geography: String, CaseIterable, Sendable, Hashable {
  case northAmerica = "NorthAmerica"
  case europe = "Europe"
  case australia = "Australia"
  case canada = "Canada"
  case singapore = "Singapore"
  case asiaPacific = "AsiaPacific"

  /// Finds a geography by its name, regardless of case.
  public init?(named name: some StringProtocol) {
    let name = name.lowercased()
    guard let found = Self.allCases.first(where: { $0.rawValue.lowercased() == name }) else { return nil }
    self = found
  }
}

extension Geography {
  /// The domain of PingOne's servers in this geography.
  fileprivate var domain: String {
    switch self {
    case .northAmerica: "pingone.com"
    case .europe: "pingone.eu"
    case .australia: "pingone.com.au"
    case .canada: "pingone.ca"
    case .singapore: "pingone.sg"
    case .asiaPacific: "pingone.asia"
    }
  }

  /// Returns the issuer of an environment of PingOne.
  public func issuer(ofEnvironment id: String) -> String { "https://auth.\(domain)/\(id)/as" }
}
