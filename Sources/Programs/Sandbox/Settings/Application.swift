import WebAddress

/// The native application of the daemons: both an OIDC client and the app on the device.
struct Application: Codable, Sendable {
  /// Method by which a user matches the number on the sign-on page: selecting or entering it.
  enum NumberMatching: String, CaseIterable, Codable, Shown {
    case selectNumber = "SELECT_NUMBER"
    case enterManually = "ENTER_MANUALLY"
  }

  enum Mode: String, CaseIterable, Codable, Shown {
    case enabled = "ENABLED"
    case disabled = "DISABLED"
  }

  private(set) var id = ID<Application>.random()
  private(set) var name = "mfad"
  /// Identifier of the app that may act for the application on a device; the app itself reports it.
  private var packageName = "mfad"
  /// Allowed redirect URIs; if empty, any URI on this machine is allowed.
  private(set) var redirectURIs: [String] = []
  /// Scopes for self-service of users with their own devices.
  var scopes: [String] = []
  private(set) var passcodeRefresh = TimeSpan(30, .seconds)
  private(set) var passcodeGraceWindows = 5
  private(set) var integrityDetection = Mode.disabled
  /// Time for which a good verdict about a device's integrity is reused.
  private(set) var integrityCache: TimeSpan?
  private(set) var numberMatching = NumberMatching.enterManually
  /// Prefix of the URI of an authentication code.
  private(set) var uriPrefix: String?

  static let passcodeDigits = 6
  static let selfServiceScopes = ["create", "read", "update", "delete"].map { "p1:\($0):device" }

  static let fields: [ResourceField<Application>] = [
    ResourceField("name", \.name, .name),
    ResourceField(
      "redirectUris",
      \.redirectURIs,
      .list("must be at most 20 URLs") { WebURL($0) != nil }
    ),
    ResourceField(
      "scopes",
      \.scopes,
      .list("must be some of \(selfServiceScopes.joined(separator: ", "))") {
        selfServiceScopes.contains($0)
      }
    ), ResourceField("mobile.packageName", \.packageName, .name),
    ResourceField("mobile.passcodeRefreshDuration", \.passcodeRefresh, .span(30...60, .seconds)),
    ResourceField("mobile.passcodeGracePeriod", \.passcodeGraceWindows, .int(1...10)),
    ResourceField("mobile.integrityDetection.mode", \.integrityDetection, .choice),
    ResourceField(
      "mobile.integrityDetection.cacheDuration",
      \.integrityCache,
      .span(60...172_800, .minutes, .hours, names: .amount)
    ), ResourceField("mobile.push.numberMatching.type", \.numberMatching, .choice),
    ResourceField("mobile.uriPrefix", \.uriPrefix, .name),
  ]

  var clientID: String { id.text }

  func isApp(_ appID: String) -> Bool { appID == packageName }

  func requireCacheDuration() throws(ErrorResponse) {
    guard integrityDetection == .disabled || integrityCache != nil else {
      let member = "application.mobile.integrityDetection.cacheDuration"
      throw .invalid(member, "must be given", code: "REQUIRED_VALUE")
    }
  }
}
