internal import JOSE
internal import JSON
internal import OpenSSL

/// The proof that a request comes from a device, a JWS after the manner of DPoP, RFC 9449 section 4.
struct DeviceProof {
  /// The compact JWS for the `Device-Proof` header.
  let text: String

  /// What the response repeats.
  static func freshID() throws -> String { Base64URL.encode(try randomBytes(16)) }

  /// A proof of that id for one request; the device's first carries its key, later ones its thumbprint.
  init(
    _ id: String,
    by keys: IdentityKeys,
    device: String?,
    method: String,
    url: String,
    body: [UInt8],
    answerKeyHeader: String?,
    issuedAt: Int
  ) throws {
    var claims: JSONObject = [
      "htm": .string(method), "htu": .string(url), "iat": .int(issuedAt), "jti": .string(id),
      "bh": .string(Base64URL.encode(try digest(body, .sha256))),
    ]
    claims["sub"] = device.map { .string($0) }
    claims["ak"] = try answerKeyHeader.map { .string(Base64URL.encode(try digest(Array($0.utf8), .sha256))) }
    text = try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: "device-proof+jwt",
      keyID: device == nil ? nil : keys.deviceThumbprint,
      extraHeader: device == nil ? ["jwk": JWK(keys.device.publicKey).json] : [:],
      with: keys.device,
      algorithm: .es256
    )
  }
}
