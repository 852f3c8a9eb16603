import JOSE
import JSON
import OpenSSL
import Time

extension Tenant {
  /// A token for `userinfo`; its type keeps it from being taken for an ID token.
  func makeAccessToken(of family: TokenFamily, scope: [String]) throws(PingOneError) -> String {
    let seconds = oidcSettings.accessTokenSeconds
    let token = AccessToken(id: .random(), family: family.id, deadline: clock.deadline(in: seconds))
    tokens.accessTokens.removeAll { clock.isOver($0.deadline) }
    tokens.accessTokens.put(token, keeping: AccessToken.maximumCount)
    let now = clock.now.seconds
    return try tokenKey().sign(
      [
        "iss": .string(provider(realm: family.realm).url),
        "sub": .string(users[family.user].map { subject($0, realm: family.realm) } ?? ""),
        "aud": [.string(url)],
        "client_id": .string(application.clientID), "scope": .string(scope.joined(separator: " ")),
        "iat": .int(now), "exp": .int(now + seconds), "jti": .id(token.id), "sid": .id(family.session),
        "env": .id(environment.id), "org": .id(environment.organization),
      ],
      type: "at+jwt"
    )
  }

  /// What an access token stands for; `nil` if it is not good any more or never was.
  func accessToken(_ text: some StringProtocol) -> (
    token: AccessToken, user: User, realm: String?, claims: JSONObject
  )? {
    guard let claims = issuedClaims(of: text, type: "at+jwt"), let id = claims["jti"]?.string,
      let token = tokens.accessTokens[ID(id)], !clock.isOver(token.deadline),
      let end = claims["exp"]?.int, end > clock.now.seconds,
      let family = tokens.families[token.family], let user = users[family.user]
    else { return nil }
    return (token, user, family.realm, claims)
  }

  /// The ID token of a sign-on or refresh.
  func idToken(
    of family: TokenFamily,
    user: User,
    scope: [String],
    accessToken: String,
    more: [(String, JSON?)]
  ) throws(PingOneError) -> String {
    let now = clock.now.seconds
    return try tokenKey().sign(
      .present(
        [
          ("iss", .string(provider(realm: family.realm).url)),
          ("sub", .string(subject(user, realm: family.realm))), ("aud", .string(application.clientID)),
          ("iat", .int(now)), ("exp", .int(now + oidcSettings.accessTokenSeconds)),
          ("auth_time", .int(family.signedOnAt.seconds)), ("acr", .string(family.acr)),
          ("amr", .strings(family.methods)), ("at_hash", try atHash(accessToken)),
          ("sid", .id(family.session)), ("env", .id(environment.id)), ("org", .id(environment.organization)),
        ] + more + profile(of: user, scope: ["profile"] + scope)
      ),
      type: "JWT"
    )
  }

  /// The claims about a user that a scope opens.
  func profile(of user: User, scope: [String]) -> [(String, JSON?)] {
    var claims: [(String, JSON?)] = []
    if scope.contains("profile") {
      claims += [
        ("preferred_username", .string(user.username)), ("given_name", user.given.map { .string($0) }),
        ("family_name", user.family.map { .string($0) }),
      ]
    }
    if scope.contains("email") { claims.append(("email", user.email.map { .string($0) })) }
    return claims
  }

  /// The left half of the access token's hash, OpenID Connect Core section 3.1.3.6.
  private func atHash(_ accessToken: String) throws(PingOneError) -> JSON {
    do {
      return .string(Base64URL.encode(try digest(Array(accessToken.utf8), .sha256).prefix(16)))
    } catch { throw .unexpected }
  }
}
