import JOSE
import JSON
import Time

/// The two keys of a device's identity: one for proofs, one for responses, payloads and decisions.
struct DeviceKeys: Codable, Sendable {
  let device: JWK
  let answer: JWK
}

/// A device that the platform trusts: one owner's identity in one geography.
struct TrustedDevice: Stored, Codable {
  let id: ID<TrustedDevice>
  let geography: PlatformGeography
  var keys: DeviceKeys
  var nextKeys: DeviceKeys?
  var name: String
  var system: String
  var systemVersion: String
  var version: String
  var push: DevicePushChannel?
  var posture: ReportedPosture?
  /// Until this time the device need not prove its integrity again.
  var integrityPassed: EndTime?
  let createdAt: Timestamp

  var handles: [String] { [keys.device.thumbprint] + (nextKeys.map { [$0.device.thumbprint] } ?? []) }

  var isPushEnabled: Bool { push?.isEnabled ?? false }

  /// Returns the claims of a token that the answer key signed.
  ///
  /// During a rotation the current and the next key are valid.
  func claims(in token: CompactJWS) -> JSONObject? {
    claims(in: token, by: [keys.answer, nextKeys?.answer])
  }

  /// Returns the claims of a token that the device key signed.
  ///
  /// Only a denial may have this signature, for the case that a PIN locks the answer key.
  func claimsByDeviceKey(in token: CompactJWS) -> JSONObject? {
    claims(in: token, by: [keys.device, nextKeys?.device])
  }

  private func claims(in token: CompactJWS, by keys: [JWK?]) -> JSONObject? {
    keys.lazy.compactMap(\.self).compactMap { try? token.verified(with: $0, allowing: [.es256]).claims() }
      .first
  }
}

struct DevicePushChannel: Codable, Sendable {
  enum Provider: String, CaseIterable, Codable, Shown {
    /// The device polls for its pushes.
    case poll = "POLL"
    case fcm = "FCM"
    case apns = "APNS"
    case hms = "HMS"
    case webPush = "WEBPUSH"
    case unifiedPush = "UNIFIEDPUSH"
  }

  let provider: Provider
  let token: String?
  let environment: String?
  let isAllowed: Bool

  var isEnabled: Bool { isAllowed && (provider == .poll || token != nil) }
}
