import EventLoop
import HTTPServer
import JSON
import Time

@EventLoop
enum ActivityRoutes {
  static let routes: [Route<Endpoint>] = .collection("\(Tenant.managed)/activities", "activity") {
    call throws(Refusal) in
    let filter = try Filter(call.query("filter"), over: Set(attributes.keys))
    return call.tenant.activities.all.reversed().filter { activity in
      filter.passes { (attributes[$0]?(activity) ?? []).compactMap(\.self) }
    }
  }

  /// What a filter may speak of, and what an activity has of it.
  private nonisolated static let attributes: [String: @Sendable (Activity) -> [String?]] = [
    "action.type": { [$0.action.rawValue] }, "actors.user.id": { [$0.user?.text] },
    "createdat": { [$0.recordedAt.text] }, "recordedat": { [$0.recordedAt.text] },
    "resources.id": { [$0.user?.text, $0.device?.text] },
    "resources.type": { [$0.user.map { _ in "USER" }, $0.device.map { _ in "DEVICE" }] },
    "result.status": { [$0.status] },
  ]
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
