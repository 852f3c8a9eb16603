import EventLoop
import HTTPServer
import JOSE
import JSON

/// `/sandbox/devices` and `/sandbox/logs`: the platform's internal data about devices.
///
/// `/sandbox/transport`: the behaviour of the push services, which the sandbox simulates too.
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

  /// Deletes a device, which is then unknown to the platform.
  private static func forget(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    call.tenant.forget(try call.one("device", in: call.tenant.trustedDevices))
    return .noContent
  }

  private static func logs(_ call: Call) -> HTTPResponse {
    let logs = call.tenant.receivedLogs.all
    return .json(["logs": logs.map { JSON.of(["supportId": $0.id, "device": $0.device, "text": $0.text]) }])
  }

  /// Returns the text with which the push services refuse pushes, and the pushes of devices that do not poll.
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

  /// Sets the text with which the push services reject every push; null makes them accept pushes again.
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
