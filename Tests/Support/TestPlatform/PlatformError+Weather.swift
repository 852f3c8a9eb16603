internal import ControlAPI
internal import CourierProtocol
package import PingOne
internal import WebAddress

extension PlatformError {
  /// The connection ends before a response.
  package static let outOfReach = PlatformError.unreachable(.unreachable, at: origin)

  /// A gateway in front of the platform reports a failure.
  package static let brokenDown = PlatformError.failed(.http, status: 502, at: origin)

  private static let origin = WebURL("https://platform.example/")?.origin
}
