internal import JSON
internal import WebAddress

/// The final address of a browser or a link back to the client: its target and its query parameters.
///
/// The scheme may be private to an application. The fragment is dropped, because only browsers use it.
struct RedirectAddress: Sendable {
  /// The address without its query.
  private let base: String
  private let query: Substring

  private static let maximumLength = 16 * 1024
  private static let mostParameters = 64

  /// Reads the value of a `Location` field; `nil` if it is too long.
  init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength else { return nil }
    let address = text.prefix { $0 != "#" }
    let mark = address.firstIndex(of: "?") ?? address.endIndex
    (base, query) = (String(address[..<mark]), address[mark...].dropFirst())
  }

  /// Reads an address that a user pasted; removes white space, because mail programs break long addresses.
  init?(pasted text: String) { self.init(text.filter { !$0.isWhitespace }) }

  /// True if the address has no parameters, so that it cannot be the response to a request.
  var isBare: Bool { query.isEmpty }

  /// The result of `parameters(in:)` for the query.
  var parameters: [(String, String)]? { Self.parameters(in: query) }

  /// The parameters as members of an object; `nil` if `parameters` is `nil`.
  var members: JSONObject? { Self.members(in: query) }

  /// True if the address matches a redirect URI; an empty path matches `/`, because servers may add it.
  func leads(to redirectURI: String) -> Bool {
    if base.hasSameBytes(as: redirectURI) { return true }
    guard let one = WebURL(base), let other = WebURL(redirectURI) else { return false }
    return one == other
  }

  /// True if the address matches a redirect URI; a loopback URI matches with any port, RFC 8252 section 7.3.
  func leads(toAnyPortOf redirectURI: String) -> Bool {
    if leads(to: redirectURI) { return true }
    guard let one = WebURL(base), let other = WebURL(redirectURI) else { return false }
    return one.origin.isLoopback && one.origin.scheme == other.origin.scheme
      && one.origin.host == other.origin.host && one.path == other.path && other.query == nil
  }

  /// True if the address has this origin.
  func leads(to origin: Origin) -> Bool { WebURL(base)?.origin == origin }

  /// Returns the parameters of a query.
  ///
  /// Returns `nil` if a parameter is repeated (RFC 6749 section 3.1), if there are none or too many, and for
  /// an invalid escape or UTF-8.
  static func parameters(in query: some StringProtocol) -> [(String, String)]? {
    guard query.utf8.count <= maximumLength, let parameters = FormEncoding.decodeUnique(query),
      (1...mostParameters).contains(parameters.count)
    else { return nil }
    return parameters
  }

  /// Returns the parameters of a query as members of an object; `nil` if `parameters(in:)` returns `nil`.
  static func members(in query: some StringProtocol) -> JSONObject? {
    parameters(in: query).map { JSONObject($0.map { ($0.0, .string($0.1)) }) }
  }
}
