internal import JOSE
internal import JSON
internal import OpenSSL
internal import Time

/// What a server wants to have signed by a key of this machine.
struct KeyChallenge: Sendable, Equatable {
  /// The text as it came, which has to come back so.
  let text: String
  /// What the server knows this program by.
  let issuer: String
  /// How long the proof may count, in seconds.
  let lifetime: Int

  init(_ text: String, issuer: String, lifetime: Int) {
    (self.text, self.issuer, self.lifetime) = (text, issuer, lifetime)
  }

  /// The signed token; with `introducesKey`, the public key stands in its header, as for a server that is to bind it.
  ///
  /// Nothing vouches for the key: no certificates are claimed, and the platform is what it is.
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
