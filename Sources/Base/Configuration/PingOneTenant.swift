internal import Text
public import WebAddress

/// Where the devices of a PingOne issuer's users are managed: the interface of its region, and its environment there.
public struct PingOneTenant: Sendable, Hashable {
  /// The interface's address, before its version.
  public let api: WebURL
  public let environment: String

  /// The interface of each region by the host of its issuers.
  static let regions = [
    "auth.pingone.com": "api.pingone.com",
    "auth.pingone.ca": "api.pingone.ca",
    "auth.pingone.eu": "api.pingone.eu",
    "auth.pingone.com.au": "api.pingone.com.au",
    "auth.pingone.sg": "api.pingone.sg",
    "auth.pingone.asia": "api.pingone.asia",
  ]

  /// Whether an address is the interface of a region, which alone hears the tokens of users.
  static func isPublished(_ api: WebURL) -> Bool {
    api.path == "/" && api.query == nil
      && regions.values.contains { WebURL("https://\($0)")?.origin == api.origin }
  }
}

extension Configuration {
  /// The tenant of an issuer: by its published form, `https://auth.pingone.<region>/<environment>/as`, else by the
  /// configuration.
  ///
  /// What a page or a link says does not count.
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
    // A sandbox is both on one address of this machine.
    let local = allows(issuer) && issuer.origin.isLoopback ? WebURL(issuer.origin.text) : nil
    guard let api = pingOneAPI ?? local, let environment = pingOneEnvironment ?? named,
      environment.isIdentifier
    else { return nil }
    return PingOneTenant(api: api, environment: environment)
  }
}

/// A geography of PingOne, by the name that the native SDK gives it.
public enum Geography: String, CaseIterable, Sendable, Hashable {
  case northAmerica = "NorthAmerica"
  case europe = "Europe"
  case australia = "Australia"
  case canada = "Canada"
  case singapore = "Singapore"
  case asiaPacific = "AsiaPacific"
}
