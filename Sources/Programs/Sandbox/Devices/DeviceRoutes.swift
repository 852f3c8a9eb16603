import EventLoop
import HTTPServer
import JSON

@EventLoop
enum DeviceRoutes {
  private static let one = "/v1/environments/{environment}/users/{user}/devices/{device}"

  static let routes: [Route<Endpoint>] = [
    .owner("read", "GET", one, read), .owner("delete", "DELETE", one, delete),
    .owner("create", "POST", one, action: "device.activate", DeviceCreation.activate),
    .action("device.block", one, block), .action("device.unblock", one, unblock),
    .action("device.unlock", one, unlock), .owner("update", "PUT", "\(one)/nickname", rename),
    .administrator("PUT", "\(one)/logs", requestLogs),
  ]

  private static let maximumNickname = 100

  private static func read(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    call.shown(try call.device())
  }

  private static func delete(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    call.tenant.remove(try call.device())
    return .noContent
  }

  /// Blocks a device and withdraws its pending pushes; the device keeps its pairing.
  private static func block(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    try change(call) { device in
      device.blockedAt = device.blockedAt ?? call.tenant.clock.now
      call.tenant.withdrawPushes(to: device)
    }
  }

  private static func unblock(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    try change(call) { $0.blockedAt = nil }
  }

  private static func unlock(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    try change(call) { device in
      device.passcodeFailures = 0
      device.passcodeLock = nil
      device.mobile?.pushMisses = []
      device.mobile?.pushLock = nil
    }
  }

  private static func rename(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let body = try call.body()
    let nickname = try body.requiredText("nickname")
    guard nickname.count <= maximumNickname else {
      throw body.invalid("nickname", "must have at most \(maximumNickname) characters")
    }
    return try change(call) { $0.nickname = nickname }
  }

  private static func requestLogs(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard try call.body().requiredText("status") == "PENDING" else {
      throw .invalid("status", "must be PENDING")
    }
    guard try call.device().mobile != nil else { throw .invalidRequest("Only a mobile device has logs.") }
    let end = call.tenant.clock.deadline(in: 24 * 3600)
    return try change(call) { device in
      device.mobile?.logRequest = .pending(until: end)
    }
  }

  private static func change(
    _ call: Call,
    _ change: (inout MFADevice) -> Void
  ) throws(ErrorResponse) -> HTTPResponse {
    var device = try call.device()
    change(&device)
    device.updatedAt = call.tenant.clock.now
    call.tenant.devices.put(device)
    return call.shown(device)
  }
}

extension Call {
  func device() throws(ErrorResponse) -> MFADevice {
    try one("device", of: tenant.devices.all(by: try user().id.text))
  }
}

@EventLoop
enum DeviceOrderRoutes {
  private static let all = "/v1/environments/{environment}/users/{user}/devices"

  static let routes: [Route<Endpoint>] = [
    .owner("read", "GET", all, list), .owner("update", "POST", all, action: "devices.reorder", reorder),
    .owner("update", "POST", all, action: "devices.order.remove", removeOrder),
    .owner("create", "POST", all, DeviceCreation.create), .owner("update", "DELETE", all, removeOrder),
  ]

  private static func list(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    try page(of: try call.user(), call, isExpanded: call.query("expand") == "order")
  }

  private static func reorder(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var user = try call.user()
    let body = try call.actionBody()
    guard let list = try body.list("order") else { throw body.missing("order") }
    let active = Set(call.tenant.activeDevices(of: user.id).map(\.id))
    var order: [ID<MFADevice>] = []
    for entry in list {
      let id = ID<MFADevice>(try entry.requiredText("id", maximum: 64))
      guard active.contains(id), !order.contains(id) else {
        throw entry.invalid("id", "must be an active device of the user, named once")
      }
      order.append(id)
    }
    user.deviceOrder = order
    call.tenant.users.put(user)
    return try page(of: user, call, isExpanded: true)
  }

  private static func removeOrder(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var user = try call.user()
    user.deviceOrder = nil
    call.tenant.users.put(user)
    return .noContent
  }

  private static func page(of user: PlatformUser, _ call: Call, isExpanded: Bool) throws(ErrorResponse)
    -> HTTPResponse
  {
    let tenant = call.tenant
    let filter = try Filter(call.query("filter"), over: ["status", "type"])
    let active = tenant.activeDevices(of: user.id)
    let others = tenant.devices.all(by: user.id.text).filter { $0.status != .active }
    let devices = (active + others).filter { device in
      filter.passes { [$0 == "type" ? device.kind.rawValue : device.status.rawValue] }
    }
    let order = user.deviceOrder == nil ? [] : active.map(\.id.reference)
    return try call.page(
      "devices",
      of: devices,
      links: ["devices.reorder": .string("\(tenant.url(of: user))/devices")],
      more: isExpanded ? ["order": .array(order)] : [:]
    )
  }
}
