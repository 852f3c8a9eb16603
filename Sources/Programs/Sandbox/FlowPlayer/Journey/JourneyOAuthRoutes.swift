import EventLoop
import HTTPServer
import JSON

/// AM's OAuth provider of a realm, which has the platform's endpoints at its own paths.
@EventLoop
enum JourneyOAuthRoutes {
  private static let bases = ["/am/oauth2/realms/root/realms/{realm}", "/am/oauth2/realms/root"]

  static let routes: [Route<Endpoint>] = bases.flatMap { base -> [Route<Endpoint>] in
    [
      .anyone("GET", "\(base)/.well-known/openid-configuration", DiscoveryRoutes.configuration),
      .anyone("GET", "\(base)/connect/jwk_uri", DiscoveryRoutes.keys),
      .anyone("POST", "\(base)/par", AuthorizeRoutes.push),
      .anyone("GET", "\(base)/authorize", authorizeByQuery),
      .anyone("POST", "\(base)/authorize", authorizeByForm),
      .anyone("POST", "\(base)/access_token", TokenRoutes.issue),
      .anyone("GET", "\(base)/userinfo", UserInfoRoutes.read),
      .anyone("POST", "\(base)/userinfo", UserInfoRoutes.read),
      .anyone("POST", "\(base)/token/revoke", RevocationRoutes.revoke),
      .anyone("GET", "\(base)/connect/endSession", SignOffRoutes.signOff),
      .anyone("POST", "\(base)/connect/endSession", SignOffRoutes.signOff),
    ]
  }

  private static func authorizeByQuery(_ call: Call) throws(PingOneError) -> HTTPResponse {
    try authorize(call, try call.queryParameters())
  }

  private static func authorizeByForm(_ call: Call) throws(PingOneError) -> HTTPResponse {
    try authorize(call, try call.form())
  }

  private static func authorize(
    _ call: Call,
    _ parameters: [String: String]
  ) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    guard let realm = call.realm else { throw .notFound }
    if parameters["request_uri"] != nil {
      return try answer(try AuthorizeRoutes.pushedRequest(parameters, tenant, realm: realm), call, realm)
    }
    let target = try tenant.authorizationTarget(parameters)
    do {
      // A payload for the platform means nothing to AM.
      let known = parameters.filter { $0.key != "mobilePayload" }
      return try answer(try tenant.authorizationRequest(known, to: target), call, realm)
    } catch { return target.refusal(error, issuer: tenant.provider(realm: realm).url) }
  }

  /// Sends the client its code if the request has a session, and else shows the page to sign on.
  private static func answer(
    _ request: AuthorizationRequest,
    _ call: Call,
    _ realm: String
  ) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    guard request.target.mode == .query else {
      throw .oauth("invalid_request", "the response mode is not supported")
    }
    guard request.prompt != .login, let session = tenant.journeySession(of: call.request, realm: realm) else {
      guard request.prompt != AuthorizationRequest.Prompt.none else {
        throw .oauth("login_required", "there is no session")
      }
      return HTMLPage(title: "Sign in", paragraphs: ["Sign in to \(tenant.application.name)."]).response
    }
    let response = try tenant.authorizeResponse(to: request, for: session)
    return request.target.redirection(response + [("client_id", tenant.application.clientID)])
  }
}
