internal import JOSE
internal import JSON
internal import OpenSSL
internal import Time

/// A challenge that a server requires to be signed with a key of this machine.
struct KeyChallenge: Sendable, Equatable {
  /// The challenge, which the signed token must contain unchanged.
  let text: String
  /// Identifier of this application at the server.
  let issuer: String
  /// Validity of the proof in seconds.
  let lifetime: Int

  init(_ text: String, issuer: String, lifetime: Int) {
    (self.text, self.issuer, self.lifetime) = (text, issuer, lifetime)
  }

  /// Returns the signed token.
  ///
  /// With `introducesKey`, its header contains the public key, so that the server can bind it.
  ///
  /// The key has no attestation: the token contains no certificates and states the real platform.
  func proof(
    by key: PrivateKey,
    named id: String,
    of user: String,
    at now: Timestamp,
    introducesKey: Bool
  ) throws(JOSEError) -> String {
    let claims: JSON = [
      "sub": .string(user), "iss": .string(issuer), "challenge": .string(text), "iat": .int(now.seconds),
      "nbf": .int(now.seconds), "exp": .int(now.seconds + lifetime), "platform": "linux",
    ]
    var header = JSONObject()
    if introducesKey {
      header["jwk"] = JWK(key.publicKey, keyID: id, algorithm: .es256, use: "sig").json
    }
    return try CompactJWS.sign(
      payload: claims.serialized,
      type: "JWS",
      keyID: id,
      extraHeader: header,
      with: key,
      algorithm: .es256
    )
  }
}
