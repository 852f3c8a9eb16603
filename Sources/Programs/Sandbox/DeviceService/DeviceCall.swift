import EventLoop
import HTTPServer
import JOSE

@EventLoop
struct DeviceCall {
  let call: Call
  /// The device key by which the request was proved.
  let key: JWK
  let device: TrustedDevice?
  /// The id of that proof.
  let proofID: String
  let body: Members

  var tenant: Tenant { call.tenant }

  func id<Kind>(_ name: String, of kind: Kind.Type) -> ID<Kind> { call.id(name, of: kind) }

  /// The sender, known since the endpoint is for known devices.
  func sender() throws(Refusal) -> TrustedDevice {
    guard let device else { throw .deviceUnknown }
    return device
  }
}

struct DeviceEndpoint: Sendable {
  typealias Run = @EventLoop @Sendable (DeviceCall) async throws(Refusal) -> SealedResponse

  /// Whether a device that the platform does not know may go there.
  let admitsNewcomers: Bool
  let run: Run
}

extension Route where Endpoint == DeviceEndpoint {
  /// A route for devices that have established trust, or are about to; the pattern follows `/device/v1`.
  static func device(
    _ method: String,
    _ pattern: String,
    admitsNewcomers: Bool = false,
    _ run: @escaping DeviceEndpoint.Run
  ) -> Route {
    let endpoint = DeviceEndpoint(admitsNewcomers: admitsNewcomers, run: run)
    return Route(method, DeviceChannel.base + pattern, endpoint)
  }
}
