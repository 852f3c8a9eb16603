import EventLoop
import HTTPServer

@EventLoop
enum DeviceRoutes {
  private static let one = "/v1/environments/{environment}/users/{user}/devices/{device}"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", one, read), .administrator("DELETE", one, delete),
    .action("device.block", one, block), .action("device.unblock", one, unblock),
    .action("device.unlock", one, unlock), .administrator("PUT", "\(one)/nickname", rename),
    .administrator("PUT", "\(one)/logs", requestLogs),
  ]

  private static func read(_ call: Call) throws(Refusal) -> HTTPResponse { call.shown(try device(of: call)) }

  private static func delete(_ call: Call) throws(Refusal) -> HTTPResponse {
    call.tenant.unpair(try device(of: call), "An administrator deleted the device.")
    return .noContent
  }

  /// A blocked device keeps its pairing, and what waits on it is withdrawn.
  private static func block(_ call: Call) throws(Refusal) -> HTTPResponse {
    try change(call, .deviceBlocked, "An administrator blocked the device.") { device in
      device.blockedAt = device.blockedAt ?? call.tenant.clock.now
      call.tenant.withdrawPushes(to: device)
    }
  }

  private static func unblock(_ call: Call) throws(Refusal) -> HTTPResponse {
    try change(call, .deviceUnblocked, "An administrator unblocked the device.") { $0.blockedAt = nil }
  }

  private static func unlock(_ call: Call) throws(Refusal) -> HTTPResponse {
    try change(call, .deviceUnlocked, "An administrator unlocked the device.") { device in
      device.passcodeFailures = 0
      device.passcodeLock = nil
      device.pushMisses = []
      device.pushLock = nil
    }
  }

  private static func rename(_ call: Call) throws(Refusal) -> HTTPResponse {
    let nickname = try call.body().requiredText("nickname", maximum: MobileDevice.maximumNickname)
    return try change(call, .deviceUpdated, "The device got a nickname.") { $0.nickname = nickname }
  }

  private static func requestLogs(_ call: Call) throws(Refusal) -> HTTPResponse {
    guard try call.body().requiredText("status") == "PENDING" else {
      throw .invalid("status", "must be PENDING")
    }
    let end = call.tenant.clock.deadline(in: 24 * 3600)
    return try change(call, .deviceUpdated, "Logs were requested.") { $0.logRequest = .pending(until: end) }
  }

  private static func change(
    _ call: Call,
    _ action: Activity.Action,
    _ description: String,
    _ change: (inout MobileDevice) -> Void
  ) throws(Refusal) -> HTTPResponse {
    var device = try device(of: call)
    change(&device)
    device.updatedAt = call.tenant.clock.now
    call.tenant.devices.put(device)
    call.tenant.audit(action, device, description)
    return call.shown(device)
  }

  private static func device(of call: Call) throws(Refusal) -> MobileDevice {
    let user = try call.user().id
    return try call.one("device", of: call.tenant.devices.all.filter { $0.user == user })
  }
}
