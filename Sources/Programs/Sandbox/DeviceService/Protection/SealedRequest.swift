import EventLoop
import HTTPServer
import JOSE
import JSON
import OpenSSL
import Time

/// A decrypted request of a device, with a sender that is not yet verified.
///
/// With a body: a compact JWE (`typ: device-request+jwe`) to the platform key. Its plaintext is a JSON object
/// `{"answerKey": <JWK>, "body": {…}}`; `body` may be absent. Without a body, the header `Device-Answer-Key`
/// contains the key: the JWK's JSON text in base64url. The proof covers that header by its claim `ak`,
/// base64url of the SHA-256 of the header's text.
struct SealedRequest {
  let answerKey: JWK
  let body: Members
  /// Expected value of the proof's `bh`.
  let bodyHash: String
  /// Expected value of the proof's `ak`, `nil` if the answer key was in the body.
  let answerKeyHash: String?

  static let answerKeyHeader = "Device-Answer-Key"

  init(_ request: HTTPRequest, platformKey: SigningKey) throws(ErrorResponse) {
    bodyHash = try Self.hash(request.body)
    guard request.body.isEmpty else {
      let plaintext = try Self.decrypt(request.body, with: platformKey)
      answerKey = try Self.answerKey(plaintext.object["answerKey"])
      body = try plaintext.members("body", maximum: request.body.count) ?? Members()
      answerKeyHash = nil
      return
    }
    guard let header = request.headers[Self.answerKeyHeader], header.utf8.count <= 1024
    else { throw .invalidRequest("The request contains no key for its response.") }
    let json = Base64URL.decode(header).flatMap { try? JSON(parsing: $0) }
    answerKey = try Self.answerKey(json)
    answerKeyHash = try Self.hash(Array(header.utf8))
    body = Members()
  }

  private static func decrypt(_ bytes: [UInt8], with platformKey: SigningKey) throws(ErrorResponse) -> Members
  {
    guard let text = String(validating: bytes, as: UTF8.self),
      let plaintext = try? CompactJWE.decrypt(
        text,
        with: platformKey.key,
        type: "device-request+jwe",
        allowing: [.a256GCM]
      )
    else { throw .invalidRequest("The body is not a token encrypted to the platform key.") }
    return try Members(parsing: plaintext)
  }

  private static func answerKey(_ json: JSON?) throws(ErrorResponse) -> JWK {
    guard let json, let key = JWK.p256(json) else {
      throw .invalidRequest("The response key is not a P-256 key.")
    }
    return key
  }

  static func hash(_ bytes: [UInt8], keeping count: Int = 32) throws(ErrorResponse) -> String {
    do { return Base64URL.encode(try digest(bytes, .sha256).prefix(count)) } catch { throw .unexpected }
  }
}

extension JWK {
  /// Returns a public P-256 key without the members about its use, `nil` for any other value.
  static func p256(_ json: JSON) -> JWK? {
    guard let key = try? JWK(json).publicKey, case .ec(.p256, _, _) = key.components else { return nil }
    return JWK(key)
  }
}

/// A response to a device, which is signed and encrypted.
///
/// The HTTP response is always 200 with `application/jose`: a compact JWE (`typ: device-answer+jwe`) to the
/// key in the request. It contains a compact JWS (`typ: device-answer+jwt`) by the platform key with the
/// claims `status`, `body` (absent if empty), `rid` = the proof's `jti`, `aud` = the thumbprint of the
/// proof's key, and `iat`. `aud` prevents an attacker from replaying a response about an unknown
/// key to another device.
struct SealedResponse {
  let status: Int
  let body: JSON?

  init(_ status: Int, _ body: JSON? = nil) {
    self.status = status
    self.body = body
  }

  init(_ members: KeyValuePairs<String, (any Shown)?>) { self.init(200, .of(members)) }

  init(_ error: ErrorResponse) { self.init(error.status, error.json) }

  @EventLoop
  func response(to proof: RequestProof, answerKey: JWK, tenant: Tenant) -> HTTPResponse {
    let claims = JSON.of([
      "status": status, "body": body, "rid": proof.claimedID, "aud": proof.keyThumbprint,
      "iat": tenant.clock.now.seconds,
    ])
    do {
      let token = try tenant.platformKey.sign(claims, type: "device-answer+jwt")
      let type = "device-answer+jwe"
      return .jose(try CompactJWE.encrypt(Array(token.utf8), to: answerKey, type: type, keyID: nil))
    } catch { return ErrorResponse.unexpected.response }
  }
}
