internal import JOSE
internal import JSON
internal import OpenSSL
internal import Time

extension IdentityKeys {
  /// A JWS by the answer key.
  func sign(_ claims: JSONObject, type: String) throws -> String {
    try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: type,
      keyID: JWK(answer.publicKey).thumbprint,
      with: answer,
      algorithm: .es256
    )
  }
}

extension DeviceCredentials {
  /// A decision signed by the answer key, with which device it was made on and when: what its owner decided can be
  /// shown later, and is the same however often it is handed in.
  func signed(_ decision: JSONObject, at time: Timestamp) throws -> String {
    var claims = decision
    claims["device"] = identity.deviceID.map { .string($0) }
    claims["iat"] = .int(time.seconds)
    return try keys.sign(claims, type: "decision+jwt")
  }
}
