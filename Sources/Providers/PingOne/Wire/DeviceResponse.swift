internal import ControlAPI
internal import JOSE
internal import JSON
internal import OpenSSL

/// A decrypted and verified response: an encrypted JWS by a key of the platform, bound to the request.
struct DeviceResponse: Sendable {
  /// The HTTP status code.
  let status: Int
  /// The body; an empty object if there is none.
  let body: JSON
  /// The signing time in Unix seconds.
  let issuedAt: Int

  /// The `typ` of the encrypted response.
  static let encryptedType = "device-answer+jwe"
  /// The `typ` of the signed response within.
  static let signedType = "device-answer+jwt"

  /// From 1970 to the end of 9999; arithmetic with these values does not overflow.
  private static let believableTimes = 0...253_402_300_799

  /// Decrypts and verifies a response; throws an error unless it is for this request of this device.
  init(
    opening bytes: [UInt8],
    with answerKey: PrivateKey,
    platformKeys: [JWK],
    request: String,
    device: String
  ) throws(PlatformError) {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .failed(.malformed) }
    let token: CompactJWS
    do throws(JOSEError) {
      let plaintext = try CompactJWE.decrypt(
        text,
        with: answerKey,
        type: Self.encryptedType,
        allowing: [.a256GCM]
      )
      token = try CompactJWS(
        parsing: String(decoding: plaintext, as: UTF8.self),
        maximumLength: CompactJWE.defaultMaximumLength
      )
      guard token.header.type == Self.signedType else { throw .wrongType }
    } catch { throw .failed(error == .malformed || error == .tooLong ? .malformed : .notPlatform) }
    let claims = try Self.claims(token, platformKeys)
    // Because of the audience, the courier cannot pass on a response to another device, such as its own.
    guard claims["rid"]?.string == request, claims["aud"]?.string == device,
      let status = claims["status"]?.int,
      let issuedAt = claims["iat"]?.int, (100..<600).contains(status), Self.believableTimes.contains(issuedAt)
    else { throw .failed(.notPlatform) }
    (self.status, self.issuedAt) = (status, issuedAt)
    body = claims["body"] ?? [:]
  }

  private static func claims(_ token: CompactJWS, _ keys: [JWK]) throws(PlatformError) -> JSONObject {
    let verified: VerifiedJWS
    do { verified = try token.verified(with: JWKSet(keys), allowing: [.es256]) } catch {
      throw error == .unknownKey ? .unknownKey : .failed(.notPlatform)
    }
    do { return try verified.claims() } catch { throw .failed(.malformed) }
  }
}
