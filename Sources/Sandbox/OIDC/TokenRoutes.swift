import EventLoop
import HTTPServer
import JOSE
import JSON
import OpenSSL
import WebAddress

/// `token`: tokens for an authorization code.
enum TokenRoutes {
  static let routes: [Route<Endpoint>] = [.anyone("POST", "/{environment}/as/token", exchange)]

  @EventLoop
  private static func exchange(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let parameters = try call.form()
    guard parameters["client_id"] == tenant.application.clientID, parameters["client_secret"] == nil,
      call.request.headers["authorization"] == nil
    else {
      throw .oauth("invalid_client", "the client is not known, or is public and has a secret", status: 401)
    }
    guard parameters["grant_type"] == "authorization_code" else {
      throw .oauth("unsupported_grant_type", "only authorization codes are taken")
    }
    let grant = try grant(parameters, tenant)
    guard let user = tenant.users[grant.session.user] else {
      throw .oauth("invalid_grant", "the user is gone")
    }
    let accessToken = try tenant.accessToken(for: grant)
    return .plain(
      200,
      [
        "access_token": .string(accessToken), "token_type": "Bearer",
        "expires_in": .int(Tenant.tokenSeconds), "scope": .string(grant.request.scope.joined(separator: " ")),
        "id_token": .string(try tenant.idToken(for: grant, user: user, accessToken: accessToken)),
      ]
    )
  }

  /// The grant of the code, which is used up even when something else does not fit.
  @EventLoop
  private static func grant(
    _ parameters: [String: String],
    _ tenant: Tenant
  ) throws(PingOneError) -> AuthorizationGrant {
    let id = ID<AuthorizationGrant>(parameters["code"] ?? "")
    guard let grant = tenant.signOn.grants[id] else {
      throw .oauth("invalid_grant", "the code is not known or was used before")
    }
    tenant.signOn.grants[id] = nil
    guard !tenant.clock.isOver(grant.deadline) else { throw .oauth("invalid_grant", "the code is over") }
    let redirect = parameters["redirect_uri"].flatMap { WebURL($0) }
    guard let redirect, grant.request.target.redirect.isRedirect(redirect) else {
      throw .oauth("invalid_grant", "the redirect_uri is another")
    }
    let verifier = parameters["code_verifier"] ?? ""
    guard (43...128).contains(verifier.utf8.count),
      try SealedRequest.hash(Array(verifier.utf8)) == grant.request.codeChallenge
    else { throw .oauth("invalid_grant", "the code verifier does not fit") }
    return grant
  }
}
