import EventLoop
import HTTPServer
import JSON
import Time

/// `/v1/environments/{environment}/activities`: what has happened, newest first.
@EventLoop
enum ActivityRoutes {
  private static let all = "/v1/environments/{environment}/activities"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", all, list),
    .administrator("GET", "\(all)/{activity}", read),
  ]

  private static let attributes: Set = [
    "action.type", "actors.user.id", "createdat", "recordedat", "resources.id", "resources.type",
    "result.status",
  ]

  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let filter = try Filter(call.query("filter"), over: attributes)
    let activities = tenant.activities.all.reversed().filter { activity in
      filter.passes { values(of: $0, in: activity) }
    }
    let address = "\(tenant.managementURL)/activities"
    return try call.page("activities", at: address, of: activities) { tenant.json(of: $0) }
  }

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try call.thing("activity", on: call.tenant.activities)))
  }

  private static func values(of attribute: String, in activity: Activity) -> [String] {
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

extension Tenant {
  /// An activity as the management API shows it.
  fileprivate func json(of activity: Activity) -> JSON {
    let user = activity.user.map { id in
      let address = "\(managementURL)/users/\(id.text)"
      return JSON.present([
        ("id", .id(id)), ("name", activity.username.map { .string($0) }), ("type", "USER"),
        ("environment", .reference(environment.id)), ("href", .string(address)),
      ])
    }
    let device = activity.device.map { id in
      ["id": .id(id), "type": "DEVICE", "environment": .reference(environment.id)] as JSON
    }
    return .present([
      ("_links", .links([("self", "\(managementURL)/activities/\(activity.id.text)")])),
      ("id", .id(activity.id)), ("recordedAt", .time(activity.recordedAt)),
      ("createdAt", .time(activity.recordedAt)),
      (
        "action",
        ["type": .string(activity.action.rawValue), "description": .string(activity.description)]
      ),
      ("actors", .present([("user", user)])), ("resources", .array([user, device].compactMap(\.self))),
      ("result", ["status": .string(activity.status), "description": .string(activity.description)]),
    ])
  }
}
