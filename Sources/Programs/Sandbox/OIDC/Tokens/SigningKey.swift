import JOSE
import JSON
import OpenSSL
import Time

/// A signing key: the platform's P-256 key for devices, or an RSA key for ID and access tokens.
///
/// The platform's JWK has no member `use`, because requests are also encrypted to this key. Devices pin the
/// key by its thumbprint, which is also its key ID.
struct SigningKey: Sendable {
  let key: PrivateKey
  let jwk: JWK
  private let algorithm: SignatureAlgorithm

  init(_ key: PrivateKey) {
    self.key = key
    let name = JWK(key.publicKey).thumbprint
    if case .ec = key.publicKey.components {
      (jwk, algorithm) = (JWK(key.publicKey, keyID: name), .es256)
    } else {
      (jwk, algorithm) = (JWK(key.publicKey, keyID: name, algorithm: .rs256, use: "sig"), .rs256)
    }
  }

  var thumbprint: String { jwk.thumbprint }

  func sign(_ claims: JSON, type: String) throws(ErrorResponse) -> String {
    do {
      return try CompactJWS.sign(
        payload: claims.serialized,
        type: type,
        keyID: jwk.keyID,
        with: key,
        algorithm: algorithm
      )
    } catch { throw .unexpected }
  }
}

extension Tenant {
  func tokenKey() throws(ErrorResponse) -> SigningKey {
    if self.tokenKeys.isEmpty { try rotateTokenKey(keepingOld: false) }
    guard let newest = self.tokenKeys.first else { throw .unexpected }
    return newest
  }

  func rotateTokenKey(keepingOld isKeepingOld: Bool) throws(ErrorResponse) {
    do {
      let key = SigningKey(try .generateRSA(bits: 2048))
      self.tokenKeys = Array(([key] + (isKeepingOld ? self.tokenKeys : [])).prefix(4))
    } catch { throw .unexpected }
  }

  func tokenKeySet() throws(ErrorResponse) -> JSON {
    _ = try tokenKey()
    return ["keys": .array(self.tokenKeys.map(\.jwk.json))]
  }

  /// Returns the claims of a token if a key in the current key set signed it.
  func issuedClaims(of text: some StringProtocol, type: String) -> JSONObject? {
    guard let token = try? CompactJWS(parsing: text), token.header.type == type else { return nil }
    return self.tokenKeys.lazy.compactMap { try? token.verified(with: $0.jwk, allowing: [.rs256]).claims() }
      .first
  }
}

extension Tenant {
  /// Returns an access token; its type prevents its use as an ID token.
  func makeAccessToken(of family: TokenFamily, scope: [String]) throws(ErrorResponse) -> String {
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

  func idToken(of family: TokenFamily, user: PlatformUser, accessToken: String, claims: JSONObject)
    throws(ErrorResponse)
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

  /// Returns the data of an access token, `nil` if the token is not valid.
  func accessToken(_ text: some StringProtocol) -> (
    token: AccessToken, user: PlatformUser, realm: String?, claims: JSONObject
  )? {
    guard let claims = issuedClaims(of: text, type: "at+jwt"), let id = claims["jti"]?.string,
      let token = accessTokens[ID(id)], !clock.isOver(token.deadline), let end = claims["exp"]?.int,
      end > clock.now.seconds, let session = families[token.family]?.session, let user = users[session.user]
    else { return nil }
    return (token, user, session.realm, claims)
  }
}
