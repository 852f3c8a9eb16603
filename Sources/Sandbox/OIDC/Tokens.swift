import JOSE
import JSON
import OpenSSL
import Time

extension Tenant {
  /// How long tokens are valid.
  static let tokenSeconds = 3600

  /// A token for `userinfo`; its type keeps it from being taken for an ID token.
  func accessToken(for grant: AuthorizationGrant) throws(PingOneError) -> String {
    let now = clock.now.seconds
    return try tokenKey().sign(
      [
        "iss": .string(issuer), "sub": .id(grant.session.user), "aud": [.string(url)],
        "client_id": .string(application.clientID),
        "scope": .string(grant.request.scope.joined(separator: " ")),
        "iat": .int(now), "exp": .int(now + Self.tokenSeconds), "jti": .id(ID<AuthorizationGrant>.random()),
        "sid": .id(grant.session.id), "env": .id(environment.id), "org": .id(environment.organization),
      ],
      type: "at+jwt"
    )
  }

  /// The ID token of a sign-on, which also offers to pair the device that took part in it.
  func idToken(
    for grant: AuthorizationGrant,
    user: User,
    accessToken: String
  ) throws(PingOneError) -> String {
    let now = clock.now.seconds
    return try tokenKey().sign(
      .present(
        [
          ("iss", .string(issuer)), ("sub", .id(user.id)), ("aud", .string(application.clientID)),
          ("iat", .int(now)), ("exp", .int(now + Self.tokenSeconds)),
          ("auth_time", .int(grant.session.signedOnAt.seconds)), ("acr", .string(grant.session.acr)),
          ("amr", .strings(grant.session.methods)),
          ("nonce", grant.request.nonce.map { .string($0) }), ("at_hash", try atHash(accessToken)),
          ("sid", .id(grant.session.id)), ("env", .id(environment.id)),
          ("org", .id(environment.organization)),
          ("mfa_pairing", pairingOffer(grant.request.payload, to: user)),
        ] + profile(of: user, scope: ["profile"] + grant.request.scope)
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

  /// The offer to pair a device with the user; none when there is nothing to pair.
  private func pairingOffer(_ payload: MobilePayload?, to user: User) -> JSON? {
    guard let payload, user.mfaEnabled, let device = trustedDevices[payload.device],
      !pairings(on: device.id).contains(where: { $0.user == user.id })
    else { return nil }
    let rules = policy.rules(for: device.application)
    guard policy.mobile.isEnabled, rules.autoEnrollment, !rules.pairingDisabled else { return nil }
    let key = makePairingKey(
      for: user.id,
      applications: [device.application],
      policy: policy,
      geography: device.geography
    )
    return [
      "key": .string(key.code), "device": .id(device.id), "payload": .string(payload.id),
      "expiresAt": .time(clock.instant(of: key.deadline)),
    ]
  }
}
