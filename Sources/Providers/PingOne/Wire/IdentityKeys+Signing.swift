internal import JOSE
internal import JSON
internal import OpenSSL

extension IdentityKeys {
  /// A decision signed by the answer key, so that what its owner decided can be shown later.
  func signDecision(_ claims: JSONObject) throws -> String { try sign(claims, type: "decision+jwt") }

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
