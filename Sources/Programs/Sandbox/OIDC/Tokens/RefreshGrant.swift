import EventLoop
import HTTPServer

@EventLoop
enum RefreshGrant {
  static func tokens(_ parameters: [String: String], _ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, realm) = (call.tenant, try call.provider().realm)
    let id = try ID<RefreshToken>(hashing: parameters["refresh_token"] ?? "")
    guard let token = tenant.refreshTokens[id], let family = tenant.families[token.family],
      family.session.realm == realm
    else { throw .badGrant("the refresh token is not known or was revoked") }
    guard !token.isUsed else {
      // One of two who have it is not the client, and nobody knows which.
      tenant.end(family.id)
      throw .badGrant("the refresh token was used before")
    }
    guard !tenant.clock.isOver(token.deadline) else { throw .badGrant("the refresh token is over") }
    let scope = try scope(parameters["scope"], of: family)
    guard tenant.users[family.session.user] != nil else { throw .badGrant("the user is gone") }
    var next: String?
    if tenant.oidcSettings.rotatesRefreshTokens {
      tenant.refreshTokens[id]?.isUsed = true
      next = try tenant.makeRefreshToken(of: family)
    }
    return try tenant.tokens(of: family, scope: scope, refreshToken: next)
  }

  /// What of the family's scope is asked for, RFC 6749 section 6.
  private static func scope(_ text: String?, of family: TokenFamily) throws(Refusal) -> [String] {
    guard let text else { return family.scope }
    let scope = text.split(separator: " ").map { String($0) }
    guard !scope.isEmpty, Set(family.scope).isSuperset(of: scope) else {
      throw .oauth("invalid_scope", "the scope is wider than what was granted")
    }
    return scope
  }
}
