/// The one environment of the sandbox: a customer's separate world on the platform.
struct Environment: Sendable {
  let id: ID<Environment>
  let organization: ID<Organization>
  let name: String
}

/// The owner of environments; the sandbox only needs its identifier, for tokens.
enum Organization {}

/// The native application of the sandbox: an OIDC client and the app on the device in one.
struct Application: Sendable {
  let id: ID<Application>
  let name: String
  /// The app that may act on a device for this application.
  let appID: String

  /// The application's identifier is also its OIDC client identifier.
  var clientID: String { id.text }

  static let passcodePeriod = 30
  static let passcodeDigits = 6
  static let passcodeGraceWindows = 5
}
