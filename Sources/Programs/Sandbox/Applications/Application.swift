import Time
import WebAddress

/// A native application: an OIDC client and the app on the device in one.
struct Application: Stored, Codable {
  let id: ID<Application>
  var name: String
  /// The app that may act on a device for this application, by the names that mobile systems give it.
  let bundleID: String?
  let packageName: String?
  let createdAt: Timestamp
  var updatedAt: Timestamp
  /// Where answers may go; empty for anywhere on this machine.
  var redirectURIs: [WebURL] = []
  var settings = MobileSettings()
  var requirements = DeviceRequirements()

  static let maximumCount = 100
  static let maximumRedirectURIs = 20

  /// The application's identifier is also its OIDC client identifier.
  var clientID: String { id.text }

  /// Whether it is the application of the app with this identifier.
  func isApp(_ appID: String) -> Bool { appID == packageName || appID == bundleID }
}

extension Tenant {
  /// The application that a device has established trust for.
  func application(of device: TrustedDevice) -> Application {
    applications[device.application] ?? application
  }
}
