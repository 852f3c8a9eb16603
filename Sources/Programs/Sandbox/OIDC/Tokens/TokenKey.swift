import JOSE
import JSON
import OpenSSL

/// The RSA key that signs ID and access tokens.
struct TokenKey: Sendable {
  let key: PrivateKey
  let jwk: JWK

  init(_ key: PrivateKey) {
    self.key = key
    jwk = JWK(key.publicKey, keyID: JWK(key.publicKey).thumbprint, algorithm: .rs256, use: "sig")
  }

  /// A token by the issuer.
  func sign(_ claims: JSON, type: String) throws(PingOneError) -> String {
    do {
      return try CompactJWS.sign(
        payload: claims.serialized,
        type: type,
        keyID: jwk.keyID,
        with: key,
        algorithm: .rs256
      )
    } catch { throw .unexpected }
  }
}

extension Tenant {
  private static let maximumTokenKeys = 4

  /// The key that signs ID and access tokens.
  func tokenKey() throws(PingOneError) -> TokenKey {
    if let newest = tokenKeys.first { return newest }
    try rotateTokenKey(keepingOld: false)
    guard let made = tokenKeys.first else { throw .unexpected }
    return made
  }

  /// Lets a fresh key sign from now on.
  func rotateTokenKey(keepingOld isKeepingOld: Bool) throws(PingOneError) {
    do {
      let key = TokenKey(try .generateRSA(bits: 2048))
      tokenKeys = Array(([key] + (isKeepingOld ? tokenKeys : [])).prefix(Self.maximumTokenKeys))
    } catch { throw .unexpected }
  }

  /// The keys as a set, for `jwks`.
  func tokenKeySet() throws(PingOneError) -> JSON {
    _ = try tokenKey()
    return ["keys": .array(tokenKeys.map(\.jwk.json))]
  }

  /// The claims of a token that the issuer has signed with a key that is still listed.
  func issuedClaims(of text: some StringProtocol, type: String) -> JSONObject? {
    guard let token = try? CompactJWS(parsing: text), token.header.type == type else { return nil }
    return tokenKeys.lazy.compactMap {
      try? token.verified(with: $0.jwk, allowing: [.rs256]).claims()
    }.first
  }
}
