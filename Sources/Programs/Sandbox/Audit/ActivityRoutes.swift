import EventLoop
import HTTPServer
import JSON
import Time

@EventLoop
enum ActivityRoutes {
  static let routes: [Route<Endpoint>] = .collection("\(Tenant.managed)/activities", "activity") {
    call throws(Refusal) in
    let filter = try Filter(call.query("filter"), over: attributes)
    return call.tenant.activities.all.reversed().filter { activity in
      filter.passes { values(of: $0, in: activity) }
    }
  }

  private nonisolated static let attributes: Set = [
    "action.type", "actors.user.id", "createdat", "recordedat", "resources.id", "resources.type",
    "result.status",
  ]

  private nonisolated static func values(of attribute: String, in activity: Activity) -> [String] {
    switch attribute {
    case "action.type": [activity.action.rawValue]
    case "actors.user.id": [activity.user?.text].compactMap(\.self)
    case "createdat", "recordedat": [activity.recordedAt.text]
    case "resources.id": [activity.user?.text, activity.device?.text].compactMap(\.self)
    case "resources.type":
      [activity.user.map { _ in "USER" }, activity.device.map { _ in "DEVICE" }].compactMap(\.self)
    case "result.status": [activity.status]
    default: []
    }
  }
}

extension Activity: Resource {
  func json(in tenant: Tenant) -> JSON {
    let environment = tenant.environment.id.reference
    let user = user.map { id in
      let address = "\(tenant.managementURL)/users/\(id.text)"
      return JSON.of([
        "id": id, "name": username, "type": "USER", "environment": environment, "href": address,
      ])
    }
    let device = device.map { JSON.of(["id": $0, "type": "DEVICE", "environment": environment]) }
    return .of([
      "_links": JSON.links(["self": "\(tenant.managementURL)/activities/\(id.text)"]), "id": id,
      "recordedAt": recordedAt, "createdAt": recordedAt,
      "action": JSON.of(["type": action, "description": description]), "actors": JSON.of(["user": user]),
      "resources": [user, device].compactMap(\.self),
      "result": JSON.of(["status": status, "description": description]),
    ])
  }
}
