import EventLoop
import HTTPServer
import JOSE
import JSON
import Time

enum TrustRoutes {
  static let routes: [Route<DeviceEndpoint>] = [.device("POST", "/trust", admitsNewcomers: true, trust)]

  private static let mostDevices = 20_000

  @EventLoop
  private static func trust(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let tenant = call.tenant
    guard let geography = PlatformGeography(rawValue: try call.body.requiredText("geo")) else {
      throw .invalid("geo", "is not a geography")
    }
    let keys = DeviceKeys(device: try call.body.key("deviceJwk"), answer: try call.body.key("answerJwk"))
    guard keys.device.thumbprint == call.key.thumbprint else {
      throw .invalid("deviceJwk", "is not the key of the proof")
    }
    guard keys.answer.thumbprint != keys.device.thumbprint else {
      throw .invalid("answerJwk", "must not be the device key")
    }
    let about = try call.body.requiredMembers("device")
    guard tenant.application.isApp(try about.requiredText("appId")) else {
      throw about.invalid("appId", "is not an application of this environment", code: "BUNDLE_ID")
    }
    if let known = call.device, known.geography != geography {
      throw .invalid("geo", "differs from the geography of the trusted key")
    }
    guard tenant.trustedDevices.count < mostDevices else { throw .full("devices") }
    // A known key belongs to the same device, which may have lost the response to its first request.
    var device = TrustedDevice(
      id: call.device?.id ?? .random(),
      geography: geography,
      keys: keys,
      name: try about.text("name", maximum: 128) ?? "",
      system: try about.text("os", maximum: 128) ?? "",
      systemVersion: try about.text("osVersion", maximum: 128) ?? "",
      version: try about.text("version", maximum: 128) ?? "",
      createdAt: call.device?.createdAt ?? tenant.clock.now
    )
    device.push = call.device?.push
    device.posture = call.device?.posture
    tenant.trustedDevices.put(device)
    return SealedResponse([
      "deviceId": device.id, "platformKeys": JSON.of(["keys": [tenant.platformKey.jwk.json]]),
      "issuers": [tenant.issuer], "serverTime": tenant.clock.now,
    ])
  }
}

extension Members {
  func key(_ name: String) throws(ErrorResponse) -> JWK {
    guard let value = object[name], let key = JWK.p256(value) else {
      throw .invalid(name, "must be a public P-256 key")
    }
    return key
  }
}

/// `POST /keys`: a device announces its next keys.
///
/// The member `proofs` is `{device, answer}`, with a proof of each new key. A proof is a compact JWS
/// (`typ: key-rotation+jwt`, ES256) that the new key signs. Its claims are `sub` = the device's identifier
/// and `jkt` = the thumbprint of the new key.
enum KeyRotationRoutes {
  static let routes: [Route<DeviceEndpoint>] = [.device("POST", "/keys", rotate)]

  @EventLoop
  private static func rotate(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    var device = try call.sender()
    let keys = DeviceKeys(device: try call.body.key("deviceJwk"), answer: try call.body.key("answerJwk"))
    let proofs = try call.body.requiredMembers("proofs")
    try check(try proofs.requiredText("device", maximum: 4096), by: keys.device, of: device)
    try check(try proofs.requiredText("answer", maximum: 4096), by: keys.answer, of: device)
    let answer = SealedResponse(["rotatedAt": call.tenant.clock.now])
    // A repeated request after the rotation changes nothing.
    if device.keys.device.thumbprint == keys.device.thumbprint { return answer }
    let owner = call.tenant.trustedDevice(withKey: keys.device.thumbprint)
    guard owner == nil || owner?.id == device.id else {
      throw .invalid("deviceJwk", "belongs to another device")
    }
    device.nextKeys = keys
    call.tenant.trustedDevices.put(device)
    return answer
  }

  private static func check(_ token: String, by key: JWK, of device: TrustedDevice) throws(ErrorResponse) {
    guard let token = try? CompactJWS(parsing: token), token.header.type == "key-rotation+jwt",
      let claims = try? token.verified(with: key, allowing: [.es256]).claims(),
      claims["sub"]?.string == device.id.text, claims["jkt"]?.string == key.thumbprint
    else { throw .invalid("proofs", "must prove possession of the new keys") }
  }
}

/// `/device/v1/platform-keys`, the only device endpoint without encryption.
///
/// It returns a key set that is signed by the platform key.
@EventLoop
enum PlatformKeys {
  static let routes: [Route<Endpoint>] = [.anyone("GET", "/device/v1/platform-keys", read)]

  private static func read(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
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
