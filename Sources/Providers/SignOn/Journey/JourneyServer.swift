internal import Configuration
internal import CourierProtocol
internal import EventLoop
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
