import EventLoop
import HTTPServer
import JSON
import OpenSSL
import Time
import WebAddress

/// A session of a user, identified by a cookie.
struct BrowserSession: Stored, Codable {
  let id: ID<BrowserSession>
  let user: ID<PlatformUser>
  let signedOnAt: Timestamp
  /// Methods by which the user has authenticated, RFC 8176.
  let methods: [String]
  /// Authentication context: the name of the policy or flow, as in ID tokens.
  let acr: String
  let deadline: EndTime
  let token: String
  /// AM's realm of the session, `nil` for the platform's own sessions.
  var realm: String?

  static let seconds = 30 * 24 * 3600
  static let cookie = "ST"
  static let maximumCount = 1000
}

extension Tenant {
  /// Starts a session with a new cookie, so that a cookie from before the sign-on is worthless.
  func startSession(
    _ id: ID<BrowserSession> = .random(),
    of user: ID<PlatformUser>,
    methods: [String] = ["pwd"],
    acr: String,
    realm: String? = nil
  ) -> BrowserSession {
    let session = BrowserSession(
      id: id,
      user: user,
      signedOnAt: clock.now,
      methods: methods,
      acr: acr,
      deadline: clock.deadline(in: BrowserSession.seconds),
      token: randomText(43, of: tokenAlphabet),
      realm: realm
    )
    sessions.put(session)
    return session
  }

  func session(of request: HTTPRequest) -> BrowserSession? {
    session(of: request.headers.cookies[BrowserSession.cookie], realm: nil)
  }

  func session(of token: String?, realm: String?) -> BrowserSession? {
    guard let token else { return nil }
    let found = sessions.first { constantTimeEqual(Array($0.token.utf8), Array(token.utf8)) }
    guard let found, found.realm == realm, !clock.isOver(found.deadline), users[found.user] != nil else {
      return nil
    }
    return found
  }
}

extension HTTPResponse {
  /// Returns the response with the cookie of a sign-on or session.
  func with(cookie token: String, in environment: PlatformEnvironment, _ more: String = "") -> HTTPResponse {
    let attributes = "Path=/\(environment.id.text)\(more); HttpOnly; SameSite=Lax"
    return with("Set-Cookie", "\(BrowserSession.cookie)=\(token); \(attributes)")
  }
}

@EventLoop
enum SignOff {
  static func byBrowser(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let parameters = try call.queryOrForm()
    guard parameters["client_id"].map({ $0 == call.tenant.application.clientID }) ?? true else {
      throw .badRequest("the client is not known")
    }
    let target = try target(in: parameters, call.tenant)
    try endSession(call, parameters)
    let page = HTMLPage(title: "Signed off", paragraphs: ["You have signed off."]).response
    return (target.map { .redirect($0) } ?? page).with(cookie: "", in: call.tenant.environment, "; Max-Age=0")
  }

  /// Signs off at the request of a client that needs no page.
  static func silently(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    try endSession(call, try call.queryOrForm())
    return .noContent.with(cookie: "", in: call.tenant.environment, "; Max-Age=0")
  }

  /// Ends the session of the ID token, or without an ID token the session of the cookie.
  private static func endSession(_ call: Call, _ parameters: [String: String]) throws(ErrorResponse) {
    if let hint = parameters["id_token_hint"] {
      // An expired ID token still identifies its session.
      guard let claims = call.tenant.issuedClaims(of: hint, type: "JWT"),
        claims["aud"]?.string == call.tenant.application.clientID, let session = claims["sid"]?.string
      else { throw .badRequest("the id_token_hint is not an ID token of this client") }
      call.tenant.end(ID<BrowserSession>(session))
    } else if let session = call.tenant.session(of: call.request) {
      call.tenant.end(session.id)
    }
  }

  private static func target(in parameters: [String: String], _ tenant: Tenant) throws(ErrorResponse)
    -> WebURL?
  {
    guard let text = parameters["post_logout_redirect_uri"] else { return nil }
    guard let target = WebURL(text), tenant.application.allowsRedirect(to: target),
      (parameters["state"]?.utf8.count ?? 0) <= 2048
    else { throw .invalid("post_logout_redirect_uri", "Redirect URI mismatch") }
    return parameters["state"].map { target.appending(query: [("state", $0)]) } ?? target
  }
}
