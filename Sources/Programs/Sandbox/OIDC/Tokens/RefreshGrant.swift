import EventLoop
import HTTPServer

/// Tokens for a refresh token.
enum RefreshGrant {
  @EventLoop
  static func tokens(
    _ parameters: [String: String],
    _ call: Call
  ) throws(PingOneError) -> HTTPResponse {
    let (tenant, realm) = (call.tenant, try call.provider().realm)
    let id = ID<RefreshToken>(try SealedRequest.hash(Array((parameters["refresh_token"] ?? "").utf8)))
    guard let token = tenant.tokens.refreshTokens[id], let family = tenant.tokens.families[token.family],
      family.realm == realm
    else { throw .oauth("invalid_grant", "the refresh token is not known or was revoked") }
    guard !token.isUsed else {
      // One of two who have it is not the client, and nobody knows which.
      tenant.end(family.id)
      throw .oauth("invalid_grant", "the refresh token was used before")
    }
    guard !tenant.clock.isOver(token.deadline) else {
      throw .oauth("invalid_grant", "the refresh token is over")
    }
    let scope = try scope(parameters["scope"], of: family)
    guard tenant.users[family.user] != nil else { throw .oauth("invalid_grant", "the user is gone") }
    var next: String?
    if tenant.oidcSettings.rotatesRefreshTokens {
      tenant.tokens.refreshTokens[id]?.isUsed = true
      next = try tenant.makeRefreshToken(of: family)
    }
    return try tenant.tokenAnswer(of: family, scope: scope, refreshToken: next)
  }

  /// What of the family's scope is asked for, RFC 6749 section 6.
  private static func scope(_ text: String?, of family: TokenFamily) throws(PingOneError) -> [String] {
    guard let text else { return family.scope }
    let scope = text.split(separator: " ").map { String($0) }
    guard !scope.isEmpty, Set(family.scope).isSuperset(of: scope) else {
      throw .oauth("invalid_scope", "the scope is wider than what was granted")
    }
    return scope
  }
}
