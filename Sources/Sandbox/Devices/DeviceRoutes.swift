import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}/users/{user}/devices`.
enum DeviceRoutes {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/v1/environments/{environment}/users/{user}/devices", list),
    .administrator("GET", "/v1/environments/{environment}/users/{user}/devices/{device}", read),
    .administrator("DELETE", "/v1/environments/{environment}/users/{user}/devices/{device}", delete),
    .administrator("PUT", "/v1/environments/{environment}/users/{user}/devices/{device}/logs", requestLogs),
  ]

  private static let logRequestSeconds = 24 * 3600

  @EventLoop
  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let user = try call.user()
    let filter = try Filter(call.query("filter"), over: ["status", "type"])
    let devices = tenant.devices.all.filter { device in
      device.user == user.id && filter.passes { $0 == "type" ? "MOBILE" : device.status.rawValue }
    }
    return try call.page("devices", at: "\(tenant.url(of: user))/devices", of: devices) {
      tenant.json(of: $0)
    }
  }

  @EventLoop
  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try device(of: call)))
  }

  @EventLoop
  private static func delete(_ call: Call) throws(PingOneError) -> HTTPResponse {
    call.tenant.unpair(try device(of: call))
    return .noContent
  }

  @EventLoop
  private static func requestLogs(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var device = try device(of: call)
    guard try call.body().requiredText("status") == "PENDING" else {
      throw .invalid("status", "must be PENDING")
    }
    device.logRequest = .pending(until: call.tenant.clock.deadline(in: logRequestSeconds))
    call.tenant.devices.put(device)
    return .json(200, call.tenant.json(of: device))
  }

  @EventLoop
  private static func device(of call: Call) throws(PingOneError) -> MobileDevice {
    let user = try call.user()
    let device = try call.thing("device", on: call.tenant.devices)
    guard device.user == user.id else { throw .notFound }
    return device
  }
}
