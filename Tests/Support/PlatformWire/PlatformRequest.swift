package import CourierProtocol
package import JOSE
package import JSON
package import OpenSSL
internal import WebAddress

/// A request of a device to a simulated platform, decrypted.
///
/// `isProven(by:)` verifies its proof.
package struct PlatformRequest {
  package let method: CourierRequest.Method
  /// The parts of the path below that of the device service.
  package let path: [String]
  package let query: [String: String]
  package let body: JSONObject
  /// The id of the proof.
  package let id: String
  /// The id of the device; `nil` in the first request.
  package let device: String?
  /// The thumbprint of the key that signed the proof.
  package let thumbprint: String
  /// The proof's time of issue in seconds.
  package let issuedAt: Int
  private let answerKey: JWK
  private let proof: CompactJWS

  package struct Unreadable: Error {
    package let reason: String
  }

  /// Decrypts a request with one of the platform's keys and compares its proof with its method, URL and body.
  package init(opening request: CourierRequest, with keys: [PrivateKey]) throws {
    func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
    guard let text = header("Device-Proof") else { throw Unreadable(reason: "no proof") }
    proof = try CompactJWS(parsing: text)
    let claims = try Self.unverifiedClaims(text)
    guard proof.header.type == "device-proof+jwt", let id = claims["jti"]?.string,
      let issuedAt = claims["iat"]?.int, claims["htm"]?.string == request.method.rawValue,
      claims["htu"]?.string == request.url.text, claims["bh"]?.string == (try Self.hash(request.body))
    else { throw Unreadable(reason: "a proof of another request") }
    (self.id, self.issuedAt, device) = (id, issuedAt, claims["sub"]?.string)
    thumbprint = try proof.header.jwk.map { try JWK($0).thumbprint } ?? proof.header.keyID ?? ""
    if let header = header("Device-Answer-Key") {
      guard claims["ak"]?.string == (try Self.hash(Array(header.utf8))), request.body.isEmpty,
        let bytes = Base64URL.decode(header)
      else { throw Unreadable(reason: "another answer key") }
      (answerKey, body) = (try JWK(JSON(parsing: bytes)), [:])
    } else {
      let content = try Self.decrypt(String(decoding: request.body, as: UTF8.self), with: keys)
      guard let key = content["answerKey"], let body = content["body"]?.object else {
        throw Unreadable(reason: "no body")
      }
      (answerKey, self.body) = (try JWK(key), body)
    }
    method = request.method
    path = request.url.path.split(separator: "/").dropFirst(3).map(String.init)
    query = Dictionary(FormEncoding.decode(request.url.query ?? "") ?? []) { $1 }
  }

  package func isProven(by key: JWK) -> Bool {
    key.publicKey.flatMap { try? proof.verified(with: JWK($0), allowing: [.es256]) } != nil
  }

  /// Signs a reply with a key of the platform and encrypts it to the device.
  package func seal(_ reply: PlatformReply, at seconds: Int, by key: PrivateKey, keyID: String) throws
    -> CourierResponse
  {
    let claims: JSON = [
      "rid": .string(id), "aud": .string(thumbprint), "status": .int(reply.status), "iat": .int(seconds),
      "body": reply.body,
    ]
    let token = try CompactJWS.sign(
      payload: claims.serialized,
      type: "device-answer+jwt",
      keyID: keyID,
      with: key,
      algorithm: .es256
    )
    let text = try CompactJWE.encrypt(
      Array(token.utf8),
      to: answerKey,
      type: "device-answer+jwe",
      keyID: nil
    )
    return CourierResponse(status: 200, headers: [], body: Array(text.utf8))
  }

  private static func decrypt(_ text: String, with keys: [PrivateKey]) throws -> JSON {
    for key in keys {
      if let bytes = try? CompactJWE.decrypt(text, with: key, type: "device-request+jwe") {
        return try JSON(parsing: bytes)
      }
    }
    throw Unreadable(reason: "encrypted to no key of the platform")
  }

  private static func unverifiedClaims(_ text: String) throws -> JSONObject {
    let segments = text.split(separator: ".")
    guard segments.count == 3, let bytes = Base64URL.decode(segments[1]),
      let claims = try JSON(parsing: bytes).object
    else { throw Unreadable(reason: "no claims") }
    return claims
  }

  private static func hash(_ bytes: [UInt8]) throws -> String { Base64URL.encode(try digest(bytes, .sha256)) }
}
