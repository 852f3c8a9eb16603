internal import ControlAPI
internal import CourierProtocol
package import PingOne
internal import WebAddress

extension PlatformError {
  /// The connection breaks off before an answer has come.
  package static let outOfReach = PlatformError.unreachable(.unreachable, at: origin)

  /// What stands before the platform says that the platform is broken.
  package static let brokenDown = PlatformError.failed(.http, status: 502, at: origin)

  private static let origin = WebURL("https://platform.example/")?.origin
}
