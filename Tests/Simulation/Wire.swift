internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL
internal import WebAddress

/// A request of a device as the platform reads it; whether its proof holds is known once its device is.
struct Question {
  let method: CourierRequest.Method
  /// The parts of the path below the device service's.
  let path: [String]
  let query: [String: String]
  let body: JSONObject
  let id: String
  /// The device that asks; `nil` the first time.
  let device: String?
  /// The thumbprint of the key that proves it.
  let thumbprint: String
  let issuedAt: Int
  private let answerKey: JWK
  private let proof: CompactJWS

  struct Unreadable: Error {
    let reason: String
  }

  init(opening request: CourierRequest, with key: PrivateKey) throws {
    func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
    proof = try CompactJWS(parsing: header("Device-Proof") ?? "")
    let segments = (header("Device-Proof") ?? "").split(separator: ".")
    guard segments.count == 3, let bytes = Base64URL.decode(segments[1]),
      let claims = try JSON(parsing: bytes).object, let id = claims["jti"]?.string,
      let issuedAt = claims["iat"]?.int, claims["htm"]?.string == request.method.rawValue,
      claims["htu"]?.string == request.url.text,
      claims["bh"]?.string == Base64URL.encode(try digest(request.body, .sha256))
    else { throw Unreadable(reason: "a proof of something else") }
    (self.id, self.issuedAt, device) = (id, issuedAt, claims["sub"]?.string)
    thumbprint = try proof.header.jwk.map { try JWK($0).thumbprint } ?? proof.header.keyID ?? ""
    if let text = header("Device-Answer-Key") {
      answerKey = try JWK(JSON(parsing: Base64URL.decode(text) ?? []))
      body = [:]
    } else {
      let content = try JSON(
        parsing: CompactJWE.decrypt(
          String(decoding: request.body, as: UTF8.self),
          with: key,
          type: "device-request+jwe"
        )
      )
      guard let key = content["answerKey"], let body = content["body"]?.object else {
        throw Unreadable(reason: "no body")
      }
      (answerKey, self.body) = (try JWK(key), body)
    }
    method = request.method
    path = request.url.path.split(separator: "/").dropFirst(3).map(String.init)
    query = Dictionary(FormEncoding.decode(request.url.query ?? "") ?? []) { $1 }
  }

  func isProven(by key: JWK) -> Bool { (try? proof.verified(with: key, allowing: [.es256])) != nil }

  /// What the platform says to it, signed and sealed for who asked.
  func sealed(_ answer: Answer, at seconds: Int, by key: PrivateKey, _ keyID: String) throws
    -> CourierResponse
  {
    let claims: JSON = [
      "rid": .string(id), "aud": .string(thumbprint), "status": .int(answer.status), "iat": .int(seconds),
      "body": answer.body,
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
}

/// What the platform says to a question, before it is sealed.
struct Answer {
  var status = 200
  var body: JSON = [:]

  init(_ status: Int = 200, _ body: JSON = [:]) { (self.status, self.body) = (status, body) }

  static let deviceUnknown = Answer(401, ["code": "DEVICE_UNKNOWN"])
}
