import EventLoop
import HTTPServer
import JOSE
import JSON

enum TrustRoutes {
  static let routes: [Route<DeviceEndpoint>] = [.device("POST", "/trust", admitsNewcomers: true, trust)]

  private static let mostDevices = 20_000

  @EventLoop
  private static func trust(_ call: DeviceCall) throws(Refusal) -> SealedResponse {
    let tenant = call.tenant
    guard let geography = Geography(rawValue: try call.body.requiredText("geo")) else {
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
      throw .invalid("geo", "is another than the key was trusted for")
    }
    guard tenant.trustedDevices.count < mostDevices else { throw .full("devices") }
    // The same key again is the same device: the response to its first request may have been lost.
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
  func key(_ name: String) throws(Refusal) -> JWK {
    guard let value = object[name], let key = JWK.p256(value) else {
      throw .invalid(name, "must be a public P-256 key")
    }
    return key
  }
}
