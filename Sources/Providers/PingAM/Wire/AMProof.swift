internal import JOSE
internal import JSON
internal import OATHExports
internal import OpenSSL

/// What only somebody with an account's secret can make.
enum AMProof {
  /// The response to a challenge: its HMAC-SHA256, in padded Base64.
  static func response(to challenge: [UInt8], by secret: Secret) throws -> String {
    Base64.encode(try HMACContext(.sha256, key: secret).code(for: challenge))
  }

  /// Claims in a token that the secret signs.
  static func token(_ claims: JSONObject, by secret: Secret) throws -> JSON {
    .string(try CompactJWS.sign(payload: JSON.object(claims).serialized, type: "JWT", with: secret))
  }
}
