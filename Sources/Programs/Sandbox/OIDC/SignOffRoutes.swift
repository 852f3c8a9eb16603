import EventLoop
import HTTPServer
import JSON
import WebAddress

/// The ends of sessions: `/{environment}/as/signoff` by a browser, `/{environment}/idp/signoff` by a client alone.
@EventLoop
enum SignOffRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/as/signoff", signOff),
    .anyone("POST", "/{environment}/as/signoff", signOff),
    .anyone("GET", "/{environment}/idp/signoff", signOffSilently),
    .anyone("POST", "/{environment}/idp/signoff", signOffSilently),
  ]

  private static let maximumState = 2048

  static func signOff(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let parameters = try parameters(of: call)
    guard parameters["client_id"].map({ $0 == call.tenant.application.clientID }) ?? true else {
      throw .oauth("invalid_request", "the client is not known")
    }
    let target = try target(in: parameters, call.tenant)
    try endSession(call, parameters)
    guard let target else {
      return HTMLPage(title: "Signed off", paragraphs: ["You have signed off."]).response
        .forgettingCookie(in: call.tenant.environment)
    }
    let headers = HTTPHeaders([("Location", target.text), ("Cache-Control", "no-store")])
    return HTTPResponse(status: 302, headers: headers).forgettingCookie(in: call.tenant.environment)
  }

  private static func signOffSilently(_ call: Call) throws(PingOneError) -> HTTPResponse {
    try endSession(call, try parameters(of: call))
    return .noContent.forgettingCookie(in: call.tenant.environment)
  }

  /// Ends the session that the ID token is of, or without one that of the cookie.
  private static func endSession(
    _ call: Call,
    _ parameters: [String: String]
  ) throws(PingOneError) {
    if let hint = parameters["id_token_hint"] {
      // An ID token that is over names its session as well as ever.
      guard let claims = call.tenant.issuedClaims(of: hint, type: "JWT"),
        claims["aud"]?.string == call.tenant.application.clientID, let session = claims["sid"]?.string
      else { throw .oauth("invalid_request", "the id_token_hint is no ID token of this client") }
      call.tenant.end(ID<SignOnSession>(session))
    } else if let session = call.tenant.session(of: call.request) {
      call.tenant.end(session.id)
    }
  }

  private static func parameters(of call: Call) throws(PingOneError) -> [String: String] {
    call.request.method == "POST" && !call.request.body.isEmpty
      ? try call.form() : try call.queryParameters()
  }

  private static func target(
    in parameters: [String: String],
    _ tenant: Tenant
  ) throws(PingOneError) -> WebURL? {
    guard let text = parameters["post_logout_redirect_uri"] else { return nil }
    guard let target = WebURL(text), tenant.application.allowsRedirect(to: target),
      (parameters["state"]?.utf8.count ?? 0) <= maximumState
    else { throw .invalid("post_logout_redirect_uri", "Redirect URI mismatch") }
    guard let state = parameters["state"] else { return target }
    return target.appending(query: [("state", state)])
  }
}

extension HTTPResponse {
  /// The answer that takes the session's cookie away.
  fileprivate func forgettingCookie(in environment: Environment) -> HTTPResponse {
    var response = self
    response.headers.add(
      "Set-Cookie",
      "\(SignOnSession.cookie)=; Path=/\(environment.id.text); Max-Age=0; HttpOnly; SameSite=Lax"
    )
    return response
  }
}
