internal import Approvals
internal import JOSE
internal import JSON
internal import OpenSSL
internal import Time

extension IdentityKeys {
  /// A JWS by the answer key.
  func sign(_ claims: JSONObject, type: String) throws -> String {
    try Self.sign(claims, type: type, by: answer)
  }

  /// A JWS of a denial, which the device key may sign while its owner is locked.
  func signDenial(_ claims: JSONObject, type: String) throws -> String {
    try Self.sign(claims, type: type, by: hasAnswer ? answer : device)
  }

  private static func sign(_ claims: JSONObject, type: String, by key: PrivateKey) throws -> String {
    try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: type,
      keyID: JWK(key.publicKey).thumbprint,
      with: key,
      algorithm: .es256
    )
  }
}

extension DeviceCredentials {
  /// A decision, signed with which device it was made on and when: what its owner decided can be shown later, and is
  /// the same however often it is handed in.
  func signed(_ decision: Decision, _ about: JSONObject) throws -> String {
    var claims = about
    claims["decision"] = .string(decision.name)
    claims["device"] = identity.deviceID.map { .string($0) }
    claims["iat"] = .int(decision.at.seconds)
    let type = "decision+jwt"
    return decision.isApproval
      ? try keys.sign(claims, type: type) : try keys.signDenial(claims, type: type)
  }
}
