import JOSE
import JSON
import Time

/// Data of a device that an application passes to a sign-on, so that the sign-on can offer to pair the
/// device.
struct MobilePayload: Sendable {
  let id: String
  let device: ID<TrustedDevice>
}

extension Tenant {
  static let maximumPayload = 16 * 1024

  /// Verifies a payload for this request and marks it as used.
  func acceptPayload(_ text: String, clientID: String, codeChallenge: String?) throws(ErrorResponse)
    -> MobilePayload
  {
    guard text.utf8.count <= Self.maximumPayload, let token = try? CompactJWS(parsing: text),
      token.header.type == "mobile-payload+jwt"
    else { throw .payload("is malformed") }
    guard let subject = unverifiedClaims(of: text)?["sub"]?.string, var device = trustedDevices[ID(subject)]
    else { throw .payload("is from an unknown device") }
    guard let claims = device.claims(in: token) else {
      throw .payload("is not signed by the device's answer key")
    }
    guard claims["iss"]?.string.map(application.isApp) ?? false else {
      throw .payload("is from another app")
    }
    guard let audience = claims["aud"]?.string, audience == issuer || audience == url else {
      throw .payload("is for another audience")
    }
    guard claims["client_id"]?.string == clientID, application.clientID == clientID else {
      throw .payload("is for another client")
    }
    guard claims["cnf"] == nil || claims["cnf"]?.string == codeChallenge else {
      throw .payload("is for another request")
    }
    let now = clock.now.seconds
    guard let issued = claims["iat"]?.int, let end = claims["exp"]?.int, issued <= now + 60,
      end > now, end <= now + 300
    else { throw .payload("is not valid now") }
    guard let id = claims["jti"]?.string, (8...128).contains(id.utf8.count) else {
      throw .payload("has no jti of 8 to 128 bytes")
    }
    let first = replays.use("payload \(device.id.text) \(id)", until: Timestamp(seconds: end), now: clock.now)
    guard first else { throw .payload("was used before") }
    note(try ReportedPosture.member(of: Members(claims), maximum: 64 * 1024), of: &device)
    return MobilePayload(id: id, device: device.id)
  }
}

extension ErrorResponse {
  fileprivate static func payload(_ reason: String) -> ErrorResponse {
    .invalid("mobilePayload", "the mobile payload \(reason)")
  }
}
