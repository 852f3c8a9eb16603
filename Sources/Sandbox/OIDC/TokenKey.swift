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

  /// The key as a set, for `jwks`.
  var set: JSON { ["keys": [jwk.json]] }

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
