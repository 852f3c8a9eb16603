import EventLoop
import HTTPServer
import JOSE
import JSON
import Time

/// How responses to devices are protected.
///
/// The HTTP response is always 200 with `application/jose`: a compact JWE (`typ: device-answer+jwe`) to the key that the
/// request named. Inside is a compact JWS (`typ: device-answer+jwt`) by the platform key with the claims `status`,
/// `body` (absent when there is none), `rid` = the proof's `jti`, `aud` = the thumbprint of the proof's key, and `iat`.
/// `aud` keeps a response about a key that nobody knows from being taken for a response to somebody else's request.
struct SealedResponse {
  let status: Int
  let body: JSON?

  init(_ status: Int, _ body: JSON? = nil) {
    self.status = status
    self.body = body
  }

  init(_ members: KeyValuePairs<String, (any Shown)?>) { self.init(200, .of(members)) }

  init(_ error: Refusal) { self.init(error.status, error.json) }

  @EventLoop
  func response(to proof: DeviceProof, answerKey: JWK, tenant: Tenant) -> HTTPResponse {
    let claims = JSON.of([
      "status": status, "body": body, "rid": proof.claimedID, "aud": proof.keyThumbprint,
      "iat": tenant.clock.now.seconds,
    ])
    do {
      let token = try tenant.platformKey.sign(claims, type: "device-answer+jwt")
      let type = "device-answer+jwe"
      return .jose(try CompactJWE.encrypt(Array(token.utf8), to: answerKey, type: type, keyID: nil))
    } catch { return Refusal.unexpected.response }
  }
}
