import EventLoop
import HTTPServer
import JOSE
import JSON

/// What the platform knows of devices and shows to nobody: `/sandbox/devices`, `/sandbox/logs` and `/sandbox/transport`,
/// how the services that carry pushes behave, since the sandbox plays them too.
@EventLoop
enum DeviceControls {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/sandbox/devices", devices),
    .administrator("DELETE", "/sandbox/devices/{device}", forget),
    .administrator("GET", "/sandbox/logs", logs), .administrator("GET", "/sandbox/transport", transport),
    .administrator("PUT", "/sandbox/transport", setTransport),
  ]

  private static func devices(_ call: Call) -> HTTPResponse {
    let devices = call.tenant.trustedDevices.all.map { device in
      JSON.of([
        "id": device.id, "name": device.name, "geo": device.geography, "key": device.keys.device.thumbprint,
        "pushEnabled": device.isPushEnabled, "users": call.tenant.pairings(on: device.id).map(\.user),
      ])
    }
    return .json(200, ["devices": .array(devices)])
  }

  /// From now on the device is as unknown as if it had never been here.
  private static func forget(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    call.tenant.forget(try call.one("device", in: call.tenant.trustedDevices))
    return .noContent
  }

  private static func logs(_ call: Call) -> HTTPResponse {
    let logs = call.tenant.receivedLogs.all
    return .json(["logs": logs.map { JSON.of(["supportId": $0.id, "device": $0.device, "text": $0.text]) }])
  }

  /// What the transports refuse pushes with, and what they were given for devices that do not fetch pushes themselves.
  private static func transport(_ call: Call) -> HTTPResponse {
    let tenant = call.tenant
    let carried = tenant.notifications.all.compactMap { notification -> JSON? in
      guard let push = tenant.trustedDevices[notification.device]?.push, push.provider != .poll else {
        return nil
      }
      return .of([
        "device": notification.device, "provider": push.provider, "token": push.token,
        "push": notification.token,
      ])
    }
    return .json(["refusal": tenant.transportRefusal ?? JSON.null, "carried": Array(carried.suffix(50))])
  }

  /// With `{"refusal": "Unregistered"}` they refuse every push with that text; null lets them go again.
  private static func setTransport(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let body = try call.body()
    guard body.object["refusal"] != nil else { throw body.missing("refusal") }
    call.tenant.transportRefusal = try body.text("refusal", maximum: 256)
    return .json(["refusal": call.tenant.transportRefusal ?? JSON.null])
  }
}

struct ReceivedLog: Stored, Codable {
  let id: ID<ReceivedLog>
  let device: ID<TrustedDevice>
  let text: String

  static let maximumCount = 20
}
