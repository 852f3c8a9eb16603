import JOSE
import JSON
import OpenSSL

/// A key that signs: the platform's one P-256 key for devices, or an RSA key for ID and access tokens.
///
/// The platform's says nothing about its use, because requests are encrypted to it too, and devices pin it by its
/// thumbprint, which is also its name.
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

  func sign(_ claims: JSON, type: String) throws(Refusal) -> String {
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
  func tokenKey() throws(Refusal) -> SigningKey {
    if self.tokenKeys.isEmpty { try rotateTokenKey(keepingOld: false) }
    guard let newest = self.tokenKeys.first else { throw .unexpected }
    return newest
  }

  func rotateTokenKey(keepingOld isKeepingOld: Bool) throws(Refusal) {
    do {
      let key = SigningKey(try .generateRSA(bits: 2048))
      self.tokenKeys = Array(([key] + (isKeepingOld ? self.tokenKeys : [])).prefix(4))
    } catch { throw .unexpected }
  }

  func tokenKeySet() throws(Refusal) -> JSON {
    _ = try tokenKey()
    return ["keys": .array(self.tokenKeys.map(\.jwk.json))]
  }

  /// The claims of a token that the issuer has signed with a key that is still listed.
  func issuedClaims(of text: some StringProtocol, type: String) -> JSONObject? {
    guard let token = try? CompactJWS(parsing: text), token.header.type == type else { return nil }
    return self.tokenKeys.lazy.compactMap { try? token.verified(with: $0.jwk, allowing: [.rs256]).claims() }
      .first
  }
}
