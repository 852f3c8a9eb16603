import EventLoop
import HTTPServer
import JSON
import Time

/// The tokens of one sign-on, including all tokens from later refreshes.
struct TokenFamily: Stored, Codable {
  let id: ID<TokenFamily>
  /// The session at the time of the sign-on.
  let session: BrowserSession
  let scope: [String]

  static let maximumCount = 1000
}

/// An issued access token; revoked tokens are deleted.
struct AccessToken: Stored, Codable {
  let id: ID<AccessToken>
  let family: ID<TokenFamily>
  let deadline: EndTime

  static let maximumCount = 5000
}

/// A refresh token; the identifier is the hash of the token.
struct RefreshToken: Stored, Codable {
  let id: ID<RefreshToken>
  let family: ID<TokenFamily>
  let deadline: EndTime
  /// True if a new token has replaced this one; if it is then used again, it may have leaked.
  var isUsed = false

  static let maximumCount = 5000
}

extension Tenant {
  func startFamily(of session: BrowserSession, scope: [String]) -> TokenFamily {
    let family = TokenFamily(id: .random(), session: session, scope: scope)
    families.put(family)
    return family
  }

  func end(_ family: ID<TokenFamily>) {
    families[family] = nil
    accessTokens.removeAll { $0.family == family }
    refreshTokens.removeAll { $0.family == family }
  }

  func end(_ session: ID<BrowserSession>) {
    sessions[session] = nil
    for family in families.all where family.session.id == session { end(family.id) }
  }

  func makeRefreshToken(of family: TokenFamily) throws(ErrorResponse) -> String {
    let text = randomText(43, of: tokenAlphabet)
    let deadline = clock.deadline(in: self.oidcSettings.refreshTokenSeconds)
    refreshTokens.removeAll { clock.isOver($0.deadline) }
    refreshTokens.put(RefreshToken(id: try ID(hashing: text), family: family.id, deadline: deadline))
    return text
  }
}

extension ID {
  init(hashing text: String) throws(ErrorResponse) { self.init(try SealedRequest.hash(Array(text.utf8))) }
}

@EventLoop
enum Revocation {
  /// Revokes an access token, or with a refresh token its whole family, RFC 7009.
  ///
  /// An unknown token is not an error.
  static func revoke(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, text) = (call.tenant, try token(in: call))
    if let refresh = tenant.refreshTokens[try ID(hashing: text)] {
      tenant.end(refresh.family)
    } else if let access = tenant.accessToken(text) {
      tenant.accessTokens[access.token.id] = nil
    }
    return .plain(200, [:])
  }

  /// Returns whether a token is valid, and the claims of a valid token, RFC 7662.
  static func introspect(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
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

  private static func token(in call: Call) throws(ErrorResponse) -> String {
    guard let token = try call.clientForm()["token"], !token.isEmpty else {
      throw .badRequest("the token is missing")
    }
    return token
  }
}
