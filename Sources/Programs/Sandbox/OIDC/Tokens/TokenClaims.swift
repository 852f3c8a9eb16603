import JSON
import Time

extension Tenant {
  /// A token for `userinfo`; its type keeps it from being taken for an ID token.
  func makeAccessToken(of family: TokenFamily, scope: [String]) throws(Refusal) -> String {
    let seconds = self.oidcSettings.accessTokenSeconds
    let token = AccessToken(id: .random(), family: family.id, deadline: clock.deadline(in: seconds))
    accessTokens.removeAll { clock.isOver($0.deadline) }
    accessTokens.put(token)
    let claims = JSONObject(of: [
      "sub": users[family.session.user].map { subject($0, realm: family.session.realm) } ?? "", "aud": [url],
      "client_id": application.clientID, "scope": scope.joined(separator: " "), "jti": token.id,
    ])
    return try tokenKey().sign(.object(claims.adding(commonClaims(of: family))), type: "at+jwt")
  }

  func idToken(of family: TokenFamily, user: User, accessToken: String, claims: JSONObject) throws(Refusal)
    -> String
  {
    let session = family.session
    let own = JSONObject(of: [
      "sub": subject(user, realm: session.realm), "aud": application.clientID,
      "auth_time": session.signedOnAt.seconds, "acr": session.acr, "amr": session.methods,
      // OpenID Connect Core section 3.1.3.6.
      "at_hash": try SealedRequest.hash(Array(accessToken.utf8), keeping: 16),
    ])
    let all = own.adding(commonClaims(of: family)).adding(claims)
    return try tokenKey().sign(.object(all), type: "JWT")
  }

  private func commonClaims(of family: TokenFamily) -> JSONObject {
    let now = clock.now.seconds
    return JSONObject(of: [
      "iss": provider(realm: family.session.realm).url, "iat": now,
      "exp": now + self.oidcSettings.accessTokenSeconds, "sid": family.session.id, "env": self.environment.id,
      "org": self.environment.organization,
    ])
  }

  /// What an access token stands for; `nil` if it is not good any more or never was.
  func accessToken(_ text: some StringProtocol) -> (
    token: AccessToken, user: User, realm: String?, claims: JSONObject
  )? {
    guard let claims = issuedClaims(of: text, type: "at+jwt"), let id = claims["jti"]?.string,
      let token = accessTokens[ID(id)], !clock.isOver(token.deadline), let end = claims["exp"]?.int,
      end > clock.now.seconds, let session = families[token.family]?.session, let user = users[session.user]
    else { return nil }
    return (token, user, session.realm, claims)
  }
}
