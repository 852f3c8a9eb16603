import EventLoop
import HTTPServer
import JOSE

/// A request whose sender is proved.
@EventLoop
struct DeviceCall {
  let tenant: Tenant
  /// The device key by which the request was proved.
  let key: JWK
  /// The device that has the key, unless it is about to establish trust.
  let device: TrustedDevice?
  let body: Members
  let request: HTTPRequest
  let parameters: [String: String]

  func id<Kind>(_ name: String, of kind: Kind.Type) -> ID<Kind> { ID(parameters[name] ?? "") }

  func query(_ name: String) -> String? { request.query?.first { $0.0 == name }?.1 }

  /// The sender, known since the endpoint is for known devices.
  func sender() throws(PingOneError) -> TrustedDevice {
    guard let device else { throw .deviceUnknown }
    return device
  }
}

/// What a route of the device service leads to.
struct DeviceEndpoint: Sendable {
  /// Whether a device that the platform does not know may go there.
  let admitsNewcomers: Bool
  let run: @EventLoop @Sendable (DeviceCall) async throws(PingOneError) -> SealedAnswer
}

extension Route where Endpoint == DeviceEndpoint {
  /// A route for devices that have established trust; the pattern follows `/device/v1`.
  static func device(
    _ method: String,
    _ pattern: String,
    _ run: @escaping @EventLoop @Sendable (DeviceCall) async throws(PingOneError) -> SealedAnswer
  ) -> Route {
    Route(method, DeviceChannel.base + pattern, DeviceEndpoint(admitsNewcomers: false, run: run))
  }

  /// A route for devices that are about to establish trust.
  static func newcomer(
    _ method: String,
    _ pattern: String,
    _ run: @escaping @EventLoop @Sendable (DeviceCall) async throws(PingOneError) -> SealedAnswer
  ) -> Route {
    Route(method, DeviceChannel.base + pattern, DeviceEndpoint(admitsNewcomers: true, run: run))
  }
}
