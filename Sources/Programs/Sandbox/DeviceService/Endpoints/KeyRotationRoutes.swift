import EventLoop
import HTTPServer
import JOSE
import JSON

/// `POST /keys`: a device announces its next keys.
///
/// The member `proofs` is `{device, answer}`: a compact JWS each (`typ: key-rotation+jwt`, ES256) by the new key, with the
/// claims `sub` = the device's identifier and `jkt` = the thumbprint of the key itself.
enum KeyRotationRoutes {
  static let routes: [Route<DeviceEndpoint>] = [.device("POST", "/keys", rotate)]

  @EventLoop
  private static func rotate(_ call: DeviceCall) throws(Refusal) -> SealedResponse {
    var device = try call.sender()
    let keys = DeviceKeys(device: try call.body.key("deviceJwk"), answer: try call.body.key("answerJwk"))
    let proofs = try call.body.requiredMembers("proofs")
    try check(try proofs.requiredText("device", maximum: 4096), by: keys.device, of: device)
    try check(try proofs.requiredText("answer", maximum: 4096), by: keys.answer, of: device)
    let answer = SealedResponse(["rotatedAt": call.tenant.clock.now])
    // Repeated after the new keys have taken over, it changes nothing.
    if device.keys.device.thumbprint == keys.device.thumbprint { return answer }
    let owner = call.tenant.trustedDevice(withKey: keys.device.thumbprint)
    guard owner == nil || owner?.id == device.id else {
      throw .invalid("deviceJwk", "belongs to another device")
    }
    device.nextKeys = keys
    call.tenant.trustedDevices.put(device)
    return answer
  }

  private static func check(_ token: String, by key: JWK, of device: TrustedDevice) throws(Refusal) {
    guard let token = try? CompactJWS(parsing: token), token.header.type == "key-rotation+jwt",
      let claims = try? token.verified(with: key, allowing: [.es256]).claims(),
      claims["sub"]?.string == device.id.text, claims["jkt"]?.string == key.thumbprint
    else { throw .invalid("proofs", "must show that the new keys are held") }
  }
}
