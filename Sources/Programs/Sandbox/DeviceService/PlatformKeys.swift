import EventLoop
import HTTPServer
import JOSE
import JSON
import Time

/// `/device/v1/platform-keys`, the one device endpoint that is not encrypted: a set signed by the platform key.
@EventLoop
enum PlatformKeys {
  static let routes: [Route<Endpoint>] = [.anyone("GET", "/device/v1/platform-keys", read)]

  private static func read(_ call: Call) throws(Refusal) -> HTTPResponse {
    let key = call.tenant.platformKey
    let claims = JSON.of(["keys": [key.jwk.json], "version": 1, "iat": call.tenant.clock.now.seconds])
    return .jose(try key.sign(claims, type: "platform-keys+jwt"))
  }
}

extension HTTPResponse {
  static func jose(_ token: String) -> HTTPResponse {
    content("application/jose", Array(token.utf8)).with("Cache-Control", "no-store")
  }
}
