internal import ControlAPI
package import PingOne

extension PlatformError {
  /// The connection breaks off before an answer has come.
  package static let outOfReach = PlatformError.unreachable(.brokenOff)

  /// What stands before the platform says that the platform is broken.
  package static let brokenDown = PlatformError.failed(.http, status: 502)
}
