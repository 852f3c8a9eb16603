import EventLoop
import HTTPServer
import JSON
import Time

/// `revoke` and `introspect`: the end of tokens, and whether they have ended.
@EventLoop
enum RevocationRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("POST", "/{environment}/as/revoke", revoke),
    .anyone("POST", "/{environment}/as/introspect", introspect),
  ]

  /// Ends an access token, or with a refresh token its whole family, RFC 7009; an unknown token has ended already.
  static func revoke(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let (tenant, text) = (call.tenant, try token(in: call))
    if let refresh = try refreshToken(text, tenant) {
      tenant.end(refresh.family)
    } else if let access = tenant.accessToken(text) {
      tenant.tokens.accessTokens[access.token.id] = nil
    }
    return .plain(200, [:])
  }

  /// Whether a token is good and what for, RFC 7662.
  private static func introspect(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let (tenant, text) = (call.tenant, try token(in: call))
    if let access = tenant.accessToken(text) {
      let names = ["scope", "client_id", "iss", "sub", "aud", "iat", "exp", "jti", "sid", "env"]
      return .plain(
        200,
        .present(
          [("active", true), ("token_type", "Bearer"), ("username", .string(access.user.username))]
            + names.map { ($0, access.claims[$0]) }
        )
      )
    }
    guard let refresh = try refreshToken(text, tenant), !refresh.isUsed,
      !tenant.clock.isOver(refresh.deadline), let family = tenant.tokens.families[refresh.family],
      let user = tenant.users[family.user]
    else { return .plain(200, ["active": false]) }
    return .plain(
      200,
      [
        "active": true, "scope": .string(family.scope.joined(separator: " ")),
        "client_id": .string(tenant.application.clientID), "username": .string(user.username),
        "iss": .string(tenant.issuer), "sub": .id(user.id),
        "exp": .int(tenant.clock.instant(of: refresh.deadline).seconds),
      ]
    )
  }

  private static func token(in call: Call) throws(PingOneError) -> String {
    guard let token = try call.clientForm()["token"], !token.isEmpty else {
      throw .oauth("invalid_request", "the token is missing")
    }
    return token
  }

  private static func refreshToken(_ text: String, _ tenant: Tenant) throws(PingOneError) -> RefreshToken? {
    tenant.tokens.refreshTokens[ID(try SealedRequest.hash(Array(text.utf8)))]
  }
}
