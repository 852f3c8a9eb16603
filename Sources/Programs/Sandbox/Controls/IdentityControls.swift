import EventLoop
import HTTPServer
import JOSE
import JSON

/// `/sandbox/devices`: the identities by which devices are known, which the platform shows to nobody.
@EventLoop
enum IdentityControls {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/sandbox/devices", list),
    .administrator("DELETE", "/sandbox/devices/{device}", forget),
  ]

  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let devices = call.tenant.trustedDevices.all.map { device in
      [
        "id": .id(device.id), "name": .string(device.name), "geo": .string(device.geography.rawValue),
        "key": .string(device.keys.device.thumbprint), "pushEnabled": .bool(device.isPushEnabled),
        "users": .array(call.tenant.pairings(on: device.id).map { .id($0.user) }),
      ] as JSON
    }
    return .json(200, ["devices": .array(devices)])
  }

  /// From now on the device is as unknown as if it had never been here.
  private static func forget(_ call: Call) throws(PingOneError) -> HTTPResponse {
    guard let device = call.tenant.trustedDevices[call.id("device", of: TrustedDevice.self)] else {
      throw .notFound
    }
    call.tenant.forget(device)
    return .noContent
  }
}
