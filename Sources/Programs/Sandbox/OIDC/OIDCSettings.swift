/// What tests set of the provider's tokens and of the grant for devices without a browser.
struct OIDCSettings: Codable, Sendable {
  private(set) var accessTokenSeconds = 3600
  private(set) var refreshTokenSeconds = 30 * 24 * 3600
  /// Whether a refresh brings another refresh token; without it the old one stays good and none is told.
  private(set) var rotatesRefreshTokens = true
  private(set) var deviceCodeSeconds = 600
  private(set) var deviceInterval = 5

  /// Whether a scope that the application was not granted is refused; else it is left out.
  private(set) var refusesUngrantedScopes = false
  /// Whether a device without a browser can be given scopes of self-service.
  private(set) var managesByDeviceGrant = false

  private static let seconds = 1...(366 * 24 * 3600)

  static let fields: [Field<OIDCSettings>] = [
    Field("accessTokenSeconds", \.accessTokenSeconds, .int(seconds)),
    Field("refreshTokenSeconds", \.refreshTokenSeconds, .int(seconds)),
    Field("refreshTokenRotation", \.rotatesRefreshTokens, .flag),
    Field("deviceCodeSeconds", \.deviceCodeSeconds, .int(seconds)),
    Field("deviceInterval", \.deviceInterval, .int(1...60)),
    Field("refuseUngrantedScopes", \.refusesUngrantedScopes, .flag),
    Field("deviceGrantSelfService", \.managesByDeviceGrant, .flag),
  ]
}
