import EventLoop
import HTTPServer
import JSON
import WebAddress

@EventLoop
enum SignOff {
  static func byBrowser(_ call: Call) throws(Refusal) -> HTTPResponse {
    let parameters = try call.queryOrForm()
    guard parameters["client_id"].map({ $0 == call.tenant.application.clientID }) ?? true else {
      throw .badRequest("the client is not known")
    }
    let target = try target(in: parameters, call.tenant)
    try endSession(call, parameters)
    let page = HTMLPage(title: "Signed off", paragraphs: ["You have signed off."]).response
    return (target.map { .redirect($0) } ?? page).with(cookie: "", in: call.tenant.environment, "; Max-Age=0")
  }

  /// By a client alone, which wants no page.
  static func silently(_ call: Call) throws(Refusal) -> HTTPResponse {
    try endSession(call, try call.queryOrForm())
    return .noContent.with(cookie: "", in: call.tenant.environment, "; Max-Age=0")
  }

  /// Ends the session that the ID token is of, or without one that of the cookie.
  private static func endSession(_ call: Call, _ parameters: [String: String]) throws(Refusal) {
    if let hint = parameters["id_token_hint"] {
      // An ID token that is over names its session as well as ever.
      guard let claims = call.tenant.issuedClaims(of: hint, type: "JWT"),
        claims["aud"]?.string == call.tenant.application.clientID, let session = claims["sid"]?.string
      else { throw .badRequest("the id_token_hint is no ID token of this client") }
      call.tenant.end(ID<SignOnSession>(session))
    } else if let session = call.tenant.session(of: call.request) {
      call.tenant.end(session.id)
    }
  }

  private static func target(in parameters: [String: String], _ tenant: Tenant) throws(Refusal) -> WebURL? {
    guard let text = parameters["post_logout_redirect_uri"] else { return nil }
    guard let target = WebURL(text), tenant.application.allowsRedirect(to: target),
      (parameters["state"]?.utf8.count ?? 0) <= 2048
    else { throw .invalid("post_logout_redirect_uri", "Redirect URI mismatch") }
    return parameters["state"].map { target.appending(query: [("state", $0)]) } ?? target
  }
}
