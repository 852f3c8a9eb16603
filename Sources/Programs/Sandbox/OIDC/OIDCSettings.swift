import JSON

/// What tests set of the provider's tokens and of the grant for devices without a browser.
struct OIDCSettings: Codable, Sendable {
  var accessTokenSeconds = 3600
  var refreshTokenSeconds = 30 * 24 * 3600
  /// Whether a refresh brings another refresh token; without it the old one stays good and none is told.
  var rotatesRefreshTokens = true
  var deviceCodeSeconds = 600
  /// How long a device waits between two polls.
  var deviceInterval = 5

  private static let seconds = 1...(366 * 24 * 3600)
  private static let intervals = 1...60

  var json: JSON {
    [
      "accessTokenSeconds": .int(accessTokenSeconds), "refreshTokenSeconds": .int(refreshTokenSeconds),
      "refreshTokenRotation": .bool(rotatesRefreshTokens), "deviceCodeSeconds": .int(deviceCodeSeconds),
      "deviceInterval": .int(deviceInterval),
    ]
  }

  /// Takes over what an update gives; what it leaves out stays as it is.
  mutating func update(from body: Members) throws(PingOneError) {
    accessTokenSeconds = try body.int("accessTokenSeconds", in: Self.seconds) ?? accessTokenSeconds
    refreshTokenSeconds = try body.int("refreshTokenSeconds", in: Self.seconds) ?? refreshTokenSeconds
    rotatesRefreshTokens = try body.bool("refreshTokenRotation") ?? rotatesRefreshTokens
    deviceCodeSeconds = try body.int("deviceCodeSeconds", in: Self.seconds) ?? deviceCodeSeconds
    deviceInterval = try body.int("deviceInterval", in: Self.intervals) ?? deviceInterval
  }
}
