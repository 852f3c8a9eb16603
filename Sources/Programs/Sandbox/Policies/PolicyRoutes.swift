import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}/deviceAuthenticationPolicies`.
@EventLoop
enum PolicyRoutes {
  private static let all = "/v1/environments/{environment}/deviceAuthenticationPolicies"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", all, list),
    .administrator("POST", all, create),
    .administrator("GET", "\(all)/{policy}", read),
    .administrator("PUT", "\(all)/{policy}", update),
    .administrator("DELETE", "\(all)/{policy}", delete),
  ]

  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    return try call.page(
      "deviceAuthenticationPolicies",
      at: "\(tenant.managementURL)/deviceAuthenticationPolicies",
      of: tenant.policies.all
    ) { tenant.json(of: $0) }
  }

  private static func create(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let body = try call.body()
    let policy = Policy(id: .random(), name: try body.requiredText("name"))
    guard call.tenant.policies.all.count < Policy.maximumCount else {
      throw .full("policies")
    }
    return .json(201, call.tenant.json(of: try put(policy, with: body, call.tenant)))
  }

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try call.thing("policy", on: call.tenant.policies)))
  }

  private static func update(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let policy = try call.thing("policy", on: call.tenant.policies)
    return .json(200, call.tenant.json(of: try put(policy, with: try call.body(), call.tenant)))
  }

  /// Keeps a policy with what a request says; `default: true` makes it the default in place of the one that was.
  private static func put(
    _ policy: Policy,
    with body: Members,
    _ tenant: Tenant
  ) throws(PingOneError) -> Policy {
    var policy = policy
    try policy.update(from: body, standard: tenant.application.id)
    let namesakes = tenant.policies.all.filter { $0.id != policy.id && $0.name == policy.name }
    guard namesakes.isEmpty else {
      throw body.invalid("name", "is already in use", code: "UNIQUENESS_VIOLATION")
    }
    guard policy.applicationIDs.allSatisfy({ tenant.applications[$0] != nil }) else {
      throw body.invalid("mobile.applications", "must name applications of this environment by their id")
    }
    if try body.bool("default") ?? false {
      tenant.policies.makeStandard(policy)
    } else {
      tenant.policies.put(policy)
    }
    return policy
  }

  private static func delete(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let policy = try call.thing("policy", on: call.tenant.policies)
    guard policy.id != call.tenant.policy.id else {
      throw .invalidRequest("The default policy cannot be deleted.")
    }
    call.tenant.policies.remove(policy)
    return .noContent
  }
}

extension Tenant {
  /// A policy as the management API shows it.
  fileprivate func json(of policy: Policy) -> JSON {
    var members = policy.json
    members["default"] = .bool(policy.id == self.policy.id)
    members["environment"] = .reference(environment.id)
    members["_links"] = .links([
      ("self", "\(managementURL)/deviceAuthenticationPolicies/\(policy.id.text)"),
      ("environment", managementURL),
    ])
    return .object(members)
  }
}
