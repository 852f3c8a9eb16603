import JSON
import Time
import WebAddress

/// A native application: an OIDC client and the app on the device in one.
struct Application: Resource, Codable {
  private(set) var id = ID<Application>.random()
  var name: String
  /// The app that may act on a device for this application, by the names that mobile systems give it.
  var bundleID: String?
  var packageName: String?
  let createdAt: Timestamp
  var updatedAt: Timestamp
  /// Where answers may go; empty for anywhere on this machine.
  var redirectURIs: [WebURL] = []
  var settings = MobileSettings()
  var requirements = DeviceRequirements()
  /// What its users can let it do with their devices.
  var scopeGrant: ScopeGrant?

  static let maximumCount = 100

  var clientID: String { id.text }

  private var redirectTexts: [String] { redirectURIs.map(\.text) }

  static let fields: [Field<Application>] = [
    Field("id", \.id), Field("name", \.name, .text()), Field("redirectUris", \.redirectTexts),
    Field("createdAt", \.createdAt), Field("updatedAt", \.updatedAt), Field("mobile.bundleId", \.bundleID),
    Field("mobile.packageName", \.packageName),
    Field("mobile.passcodeRefreshDuration", \.settings.passcodeRefresh, .span(30...60, .seconds)),
    Field("mobile.passcodeGracePeriod", \.settings.passcodeGraceWindows, .int(1...10)),
    Field("mobile.integrityDetection.mode", \.settings.integrityDetection, .choice),
    Field(
      "mobile.integrityDetection.cacheDuration",
      \.settings.integrityCache,
      .span(60...172_800, .minutes, .hours, names: .amount)
    ), Field("mobile.push.numberMatching.type", \.settings.numberMatching, .choice),
    Field("mobile.uriPrefix", \.settings.uriPrefix, .text()),
  ]

  func json(in tenant: Tenant) -> JSON {
    let address = tenant.url(of: self)
    let constant = JSONObject(of: [
      "_links": JSON.links([
        "self": address, "environment": tenant.managementURL, "pushCredentials": "\(address)/pushCredentials",
        "grants": "\(address)/grants",
      ]), "environment": tenant.environment.id.reference, "enabled": true, "type": "NATIVE_APP",
      "protocol": "OPENID_CONNECT", "grantTypes": ["AUTHORIZATION_CODE", "REFRESH_TOKEN", "DEVICE_CODE"],
      "responseTypes": ["CODE"], "tokenEndpointAuthMethod": "NONE", "pkceEnforcement": "S256_REQUIRED",
    ])
    return .object(constant.adding(Self.fields.json(of: self)))
  }

  func isApp(_ appID: String) -> Bool { appID == packageName || appID == bundleID }
}

/// What an application says about its app: the member `mobile`.
struct MobileSettings: Codable, Sendable {
  /// How a push lets the number be matched that the sign-on page shows.
  enum NumberMatching: String, CaseIterable, Codable, Shown {
    case selectNumber = "SELECT_NUMBER"
    case enterManually = "ENTER_MANUALLY"
  }

  enum Mode: String, CaseIterable, Codable, Shown {
    case enabled = "ENABLED"
    case disabled = "DISABLED"
  }

  var passcodeRefresh = TimeSpan(30, .seconds)
  var passcodeGraceWindows = 5
  var integrityDetection = Mode.disabled
  /// How long a good verdict about a device's integrity is as good as a new one.
  var integrityCache: TimeSpan?
  var numberMatching = NumberMatching.enterManually
  /// What the address of an authentication code begins with.
  var uriPrefix: String?

  static let passcodeDigits = 6
}

extension Tenant {
  func url(of application: Application) -> String { "\(managementURL)/applications/\(application.id.text)" }

  /// The application that a device has established trust for.
  func application(of device: TrustedDevice) -> Application {
    applications[device.application] ?? application
  }
}
