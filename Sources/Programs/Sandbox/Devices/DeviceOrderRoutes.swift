import EventLoop
import HTTPServer
import JSON

@EventLoop
enum DeviceOrderRoutes {
  private static let all = "/v1/environments/{environment}/users/{user}/devices"

  static let routes: [Route<Endpoint>] = [
    .owner("read", "GET", all, list), .owner("update", "POST", all, action: "devices.reorder", reorder),
    .owner("update", "POST", all, action: "devices.order.remove", removeOrder),
    .owner("create", "POST", all, DeviceCreation.create), .owner("update", "DELETE", all, removeOrder),
  ]

  private static func list(_ call: Call) throws(Refusal) -> HTTPResponse {
    try page(of: try call.user(), call, isExpanded: call.query("expand") == "order")
  }

  private static func reorder(_ call: Call) throws(Refusal) -> HTTPResponse {
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

  private static func removeOrder(_ call: Call) throws(Refusal) -> HTTPResponse {
    var user = try call.user()
    user.deviceOrder = nil
    call.tenant.users.put(user)
    return .noContent
  }

  private static func page(of user: User, _ call: Call, isExpanded: Bool) throws(Refusal) -> HTTPResponse {
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
