internal import Configuration
internal import CourierProtocol
internal import EventLoop
internal import JSONRPC
internal import WebAddress

/// A realm of a PingAM server: its URLs and its session cookie.
struct JourneyServer: Sendable {
  /// Base URL of the realm's JSON endpoints.
  let realm: WebURL
  /// Authentication endpoint of the realm's journeys.
  let authenticate: WebURL
  /// Issuer of the realm's tokens.
  let issuer: WebURL
  /// Name of the session cookie.
  let cookie: String

  /// Creates the configured realm; `nil` if there is none.
  init?(_ configuration: Configuration) {
    guard let server = configuration.journeyServer else { return nil }
    self.init(server, realm: configuration.journeyRealm, cookie: configuration.journeyCookie)
  }

  /// Creates a realm from the base URL of a server and the realm's path from the root realm.
  init?(_ server: WebURL, realm: String, cookie: String) {
    var names = realm.split(separator: "/").map(String.init)
    if names.first == "root" { names.removeFirst() }
    let path = "realms/root" + names.map { "/realms/" + FormEncoding.encode($0) }.joined()
    guard let realm = server.appending(path: "/json/\(path)"),
      let authenticate = realm.appending(path: "authenticate"),
      let issuer = server.appending(path: "/oauth2/\(path)")
    else { return nil }
    (self.realm, self.authenticate, self.issuer, self.cookie) = (realm, authenticate, issuer, cookie)
  }

  /// The body of a request without answers.
  static let noAnswers = Array("{}".utf8)

  /// Headers of journey requests.
  @EventLoop static let headers =
    PiFlow.headers + [
      CourierHeader("Content-Type", "application/json"),
      CourierHeader("Accept-API-Version", "resource=2.1, protocol=1.0"),
    ]

  /// Returns the header for a session; it is named after the cookie and keeps the session out of URLs.
  func header(for session: JourneySession) -> CourierHeader { CourierHeader(cookie, session.token) }
}

/// The address with which the user returns to a journey: a link from an e-mail, or the final address of a
/// browser.
struct JourneyReturn: Sendable {
  /// The parameters for the request to the server.
  let query: [(String, String)]
  /// True if the address resumes a suspended journey; false if it continues the step that redirected the
  /// browser.
  let isSuspension: Bool

  /// The parameter that identifies a suspended journey.
  static let suspension = "suspendedId"

  /// Parameters that other servers add to the address: OAuth and OpenID Connect, forms, and SAML.
  private static let handedOn: Set<String> = [
    "code", "error", "errorCode", "errorMessage", "form_post_entry", "nonce", "RelayState", "responsekey",
    "scope", "state",
  ]

  /// Reads an address, which must have the server's origin or match mfad's redirect URI.
  init(_ address: String, server: JourneyServer, redirectURI: String?) throws(RPCError) {
    guard let address = RedirectAddress(pasted: address),
      address.leads(to: server.authenticate.origin) || redirectURI.map(address.leads(to:)) == true,
      let parameters = address.parameters
    else { throw .invalidParameter("uri") }
    isSuspension = parameters.contains { $0.0 == Self.suspension && !$0.1.isEmpty }
    let names = isSuspension ? Self.handedOn.union([Self.suspension]) : Self.handedOn
    query = parameters.filter { names.contains($0.0) }
    guard !query.isEmpty else { throw .invalidParameter("uri") }
  }
}
