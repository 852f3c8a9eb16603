internal import JSON
internal import WebAddress

/// An address that a browser ended at, or a link that leads back: where it leads, and the parameters in its query.
///
/// Its scheme may be that of an application. What follows a number sign is for a page in the browser and is left out.
struct RedirectAddress: Sendable {
  /// The address without its query.
  private let base: String
  private let query: Substring

  private static let maximumLength = 16 * 1024
  private static let mostParameters = 64

  /// Reads the value of a `Location` field; `nil` for one that is too long.
  init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength else { return nil }
    let address = text.prefix { $0 != "#" }
    let mark = address.firstIndex(of: "?") ?? address.endIndex
    (base, query) = (String(address[..<mark]), address[mark...].dropFirst())
  }

  /// Reads what a person pasted: white space is no part of an address, but mail programs break long ones.
  init?(pasted text: String) { self.init(text.filter { !$0.isWhitespace }) }

  /// Whether it brings nothing: it leads to a page, and answers no request.
  var isBare: Bool { query.isEmpty }

  /// The parameters, as `parameters(in:)` tells them.
  var parameters: [(String, String)]? { Self.parameters(in: query) }

  /// The parameters as members of an object; `nil` where there are none.
  var members: JSONObject? { Self.members(in: query) }

  /// Whether it leads to a redirect URI, which servers may write with a slash for its empty path.
  func leads(to redirectURI: String) -> Bool {
    if base.hasSameBytes(as: redirectURI) { return true }
    guard let one = WebURL(base), let other = WebURL(redirectURI) else { return false }
    return one == other
  }

  /// Whether it leads to the host and path of a redirect URI, at any port: RFC 8252 section 7.3.
  func leads(toAnyPortOf redirectURI: String) -> Bool {
    if leads(to: redirectURI) { return true }
    guard let one = WebURL(base), let other = WebURL(redirectURI) else { return false }
    return one.origin.isLoopback && one.origin.scheme == other.origin.scheme
      && one.origin.host == other.origin.host && one.path == other.path && other.query == nil
  }

  /// Whether it leads to a server.
  func leads(to origin: Origin) -> Bool { WebURL(base)?.origin == origin }

  /// The parameters of a query, each given once (RFC 6749 section 3.1); `nil` without any, for too many, and where an
  /// escape or the UTF-8 of one is broken.
  static func parameters(in query: some StringProtocol) -> [(String, String)]? {
    guard query.utf8.count <= maximumLength, let parameters = FormEncoding.decodeUnique(query),
      (1...mostParameters).contains(parameters.count)
    else { return nil }
    return parameters
  }

  /// The parameters of a query as members of an object; `nil` where `parameters(in:)` is.
  static func members(in query: some StringProtocol) -> JSONObject? {
    parameters(in: query).map { JSONObject($0.map { ($0.0, .string($0.1)) }) }
  }
}
