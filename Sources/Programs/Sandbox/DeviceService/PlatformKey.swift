import EventLoop
import HTTPServer
import JOSE
import JSON
import OpenSSL
import Time

/// The platform's one P-256 key: it signs answers and pushes, and requests are encrypted to it.
///
/// It says nothing about its use, because it has both, and devices pin it by its thumbprint, which is also its name.
struct PlatformKey: Sendable {
  let key: PrivateKey
  let jwk: JWK

  init(_ key: PrivateKey) {
    self.key = key
    jwk = JWK(key.publicKey, keyID: JWK(key.publicKey).thumbprint)
  }

  var thumbprint: String { jwk.thumbprint }

  /// The key as a set, with the fields that `GET /platform-keys` and trust give.
  var set: JSON { ["keys": [jwk.json]] }

  /// A token by the platform.
  func sign(_ claims: JSON, type: String) throws(PingOneError) -> String {
    do {
      return try CompactJWS.sign(
        payload: claims.serialized,
        type: type,
        keyID: thumbprint,
        with: key,
        algorithm: .es256
      )
    } catch { throw .unexpected }
  }
}

/// `/device/v1/platform-keys`, the one device endpoint that is not encrypted: a set signed by the platform key.
enum PlatformKeyRoutes {
  static let routes: [Route<Endpoint>] = [.anyone("GET", "/device/v1/platform-keys", read)]

  private static let version = 1

  @EventLoop
  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let claims: JSON = [
      "keys": [call.tenant.platformKey.jwk.json], "version": .int(version),
      "iat": .int(call.tenant.clock.now.seconds),
    ]
    let token = try call.tenant.platformKey.sign(claims, type: "platform-keys+jwt")
    return .jose(token)
  }
}

extension HTTPResponse {
  /// A token as the whole answer.
  static func jose(_ token: String) -> HTTPResponse {
    let headers = HTTPHeaders([("Content-Type", "application/jose"), ("Cache-Control", "no-store")])
    return HTTPResponse(status: 200, headers: headers, body: Array(token.utf8))
  }
}
