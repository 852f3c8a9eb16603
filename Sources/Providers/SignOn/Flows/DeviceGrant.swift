internal import JSON
internal import Text
internal import WebAddress

/// What a device authorization endpoint gave, RFC 8628 section 3.2.
struct DeviceGrant: Sendable {
  let deviceCode: String
  let userCode: String
  /// Where the person goes.
  let address: String
  /// How long to wait between two questions.
  var interval: Duration
  /// When it ends, by the clock that counts sleep.
  let end: Duration

  init(_ json: JSON, now: Duration, allowsLoopbackHTTP: Bool) throws(SignOnFailure) {
    guard let deviceCode = json["device_code"]?.string, let userCode = json["user_code"]?.string,
      (1...64).contains(userCode.utf8.count),
      let text = (json["verification_uri_complete"] ?? json["verification_uri"] ?? json["verification_url"])?
        .string,
      let url = WebURL(text), url.origin.scheme == .https || (allowsLoopbackHTTP && url.origin.isLoopback)
    else { throw .malformed }
    (self.deviceCode, self.userCode, address) = (deviceCode, DisplayText.clean(userCode), url.text)
    interval = .seconds(min(max(json["interval"]?.int ?? 5, 1), 60))
    end = now + .seconds(min(max(json["expires_in"]?.int ?? 600, 1), 3600))
  }
}
