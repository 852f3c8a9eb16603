import HTTPServer
import JSON

extension Tenant {
  static let realms: Set = ["root", "alpha", "bravo"]
  nonisolated static let successURL = "/am/console"

  /// The name of AM's session cookie, which is its own in every environment.
  var journeyCookie: String { String(self.environment.id.text.filter { $0 != "-" }.prefix(15)) }

  /// The live session of a request, whose token is in a header or cookie of the session's name.
  func journeySession(of request: HTTPRequest, realm: String) -> SignOnSession? {
    session(of: request.headers[journeyCookie] ?? request.headers.cookies[journeyCookie], realm: realm)
  }

  func information(on session: SignOnSession, of user: User, _ realm: String) -> JSON {
    let end = clock.instant(of: session.deadline)
    return .of([
      "username": user.username, "universalId": universalID(of: user, in: realm),
      "realm": realm == "root" ? "/" : "/\(realm)", "latestAccessTime": clock.now,
      "maxIdleExpirationTime": end, "maxSessionExpirationTime": end, "properties": JSONObject(),
    ])
  }

  /// What AM calls a user before programs, its universal identifier.
  func universalID(of user: User, in realm: String) -> String {
    let place = realm == "root" ? "" : "o=\(realm),ou=services,"
    return "id=\(user.username),ou=user,\(place)ou=am-config"
  }

  func json(of session: SignOnSession?, realm: String, successURL: String) -> JSON {
    .of(["tokenId": session?.token, "successUrl": successURL, "realm": realm == "root" ? "/" : "/\(realm)"])
  }
}

extension Call {
  /// The realm in the path, the one at the top if there is none; `nil` if it does not exist.
  var realm: String? {
    let realm = parameters["realm"] ?? "root"
    return Tenant.realms.contains(realm) ? realm : nil
  }
}
