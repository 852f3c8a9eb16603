import EventLoop
import HTTPServer
import JSON
import Time

@EventLoop
enum Revocation {
  /// Ends an access token, or with a refresh token its whole family, RFC 7009; an unknown token has ended already.
  static func revoke(_ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, text) = (call.tenant, try token(in: call))
    if let refresh = tenant.refreshTokens[try ID(hashing: text)] {
      tenant.end(refresh.family)
    } else if let access = tenant.accessToken(text) {
      tenant.accessTokens[access.token.id] = nil
    }
    return .plain(200, [:])
  }

  /// Whether a token is good and what for, RFC 7662.
  static func introspect(_ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, text) = (call.tenant, try token(in: call))
    if let access = tenant.accessToken(text) {
      let names = ["scope", "client_id", "iss", "sub", "aud", "iat", "exp", "jti", "sid", "env"]
      let claims = JSONObject(names.compactMap { name in access.claims[name].map { (name, $0) } })
      let name = access.user.username
      return .plain(["active": true, "token_type": "Bearer", "username": name], adding: claims)
    }
    guard let refresh = tenant.refreshTokens[try ID(hashing: text)], !refresh.isUsed,
      !tenant.clock.isOver(refresh.deadline), let family = tenant.families[refresh.family],
      let user = tenant.users[family.session.user]
    else { return .plain(200, ["active": false]) }
    return .plain([
      "active": true, "scope": family.scope.joined(separator: " "), "client_id": tenant.application.clientID,
      "username": user.username, "iss": tenant.issuer, "sub": user.id,
      "exp": tenant.clock.instant(of: refresh.deadline).seconds,
    ])
  }

  private static func token(in call: Call) throws(Refusal) -> String {
    guard let token = try call.clientForm()["token"], !token.isEmpty else {
      throw .badRequest("the token is missing")
    }
    return token
  }
}
