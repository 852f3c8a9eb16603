internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL
internal import PingOne
internal import WebAddress

/// A request of a device, opened; whether the proof of it holds is known once its device is.
struct Question {
  let method: CourierRequest.Method
  /// The parts of the path below the device service's.
  let path: [String]
  let query: [String: String]
  let body: JSONObject
  /// What the answer is to be encrypted to.
  let answerKey: JWK
  /// The id of the proof.
  let id: String
  /// The device that asks; `nil` the first time.
  let device: String?
  /// The thumbprint of the key that proves it.
  let thumbprint: String
  private let proof: CompactJWS

  /// Opens a request with a key of the platform, and compares the proof with what came.
  @EventLoop
  init(opening request: CourierRequest, on platform: TestPlatform) throws {
    func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
    guard let text = header("Device-Proof") else { throw Unreadable(reason: "no proof") }
    proof = try CompactJWS(parsing: text)
    let claims = try Self.unverifiedClaims(text)
    guard proof.header.type == "device-proof+jwt", let id = claims["jti"]?.string,
      claims["htm"]?.string == request.method.rawValue, claims["htu"]?.string == request.url.text,
      claims["bh"]?.string == (try Self.hash(request.body)), claims["iat"]?.int != nil
    else { throw Unreadable(reason: "a proof of something else") }
    guard platform.seenProofs.insert(id).inserted else { throw Unreadable(reason: "a proof twice") }
    (self.id, device) = (id, claims["sub"]?.string)
    thumbprint = try proof.header.jwk.map { try JWK($0).thumbprint } ?? proof.header.keyID ?? ""
    if let header = header("Device-Answer-Key") {
      guard claims["ak"]?.string == (try Self.hash(Array(header.utf8))), request.body.isEmpty,
        let bytes = Base64URL.decode(header)
      else { throw Unreadable(reason: "another answer key") }
      (answerKey, body) = (try JWK(JSON(parsing: bytes)), [:])
    } else {
      let content = try JSON(parsing: platform.decrypt(String(decoding: request.body, as: UTF8.self)))
      guard let key = content["answerKey"], let body = content["body"]?.object else {
        throw Unreadable(reason: "no body")
      }
      (answerKey, self.body) = (try JWK(key), body)
    }
    method = request.method
    path = request.url.path.split(separator: "/").dropFirst(3).map(String.init)
    query = Dictionary(FormEncoding.decode(request.url.query ?? "") ?? []) { $1 }
  }

  /// Whether the proof is by this key.
  func isProven(by key: JWK) -> Bool {
    key.publicKey.flatMap { try? proof.verified(with: JWK($0), allowing: [.es256]) } != nil
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

extension TestPlatform {
  /// What was encrypted to one of its keys.
  fileprivate func decrypt(_ text: String) throws -> [UInt8] {
    for key in newKeys {
      if let plaintext = try? CompactJWE.decrypt(text, with: key, type: "device-request+jwe") {
        return plaintext
      }
    }
    return try CompactJWE.decrypt(text, with: key, type: "device-request+jwe")
  }
}
