internal import Configuration
internal import CourierProtocol
internal import EventLoop
internal import JSONRPC
internal import WebAddress

/// A realm of a PingAM server: where it is asked, and how.
struct JourneyServer: Sendable {
  /// Below which what belongs to the realm lies.
  let realm: WebURL
  /// Where journeys are played.
  let authenticate: WebURL
  /// What the realm's tokens are issued by.
  let issuer: WebURL
  /// The name of the cookie that a session is in.
  let cookie: String

  /// The configured realm; `nil` if there is none.
  init?(_ configuration: Configuration) {
    guard let server = configuration.journeyServer else { return nil }
    self.init(server, realm: configuration.journeyRealm, cookie: configuration.journeyCookie)
  }

  /// A realm below the base URL of a server, by its path from the root realm.
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

  /// What requests to play a journey carry.
  @EventLoop static let headers =
    PiFlow.headers + [
      CourierHeader("Content-Type", "application/json"),
      CourierHeader("Accept-API-Version", "resource=2.1, protocol=1.0"),
    ]

  /// The field that hands in a session: named after the cookie, so that it stands in no URL.
  func header(for session: JourneySession) -> CourierHeader { CourierHeader(cookie, session.token) }
}

/// The address that a person brings back to a journey: a link of an e-mail, or where a browser ended.
struct JourneyReturn: Sendable {
  /// What of the address the server is asked with.
  let query: [(String, String)]
  /// Whether it leads to a journey that was suspended, and not on from the step that sent the browser away.
  let isSuspension: Bool

  /// The parameter that a suspended journey is found by.
  static let suspension = "suspendedId"

  /// What other servers hand back: OAuth and OpenID Connect, forms, and SAML.
  private static let handedOn: Set<String> = [
    "code", "error", "errorCode", "errorMessage", "form_post_entry", "nonce", "RelayState", "responsekey",
    "scope", "state",
  ]

  /// Reads an address; it has to be one of the server, or the redirect URI of this daemon.
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
