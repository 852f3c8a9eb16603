import EventLoop
import HTTPServer

@EventLoop
enum PolicyRoutes {
  private nonisolated static let all = "\(Tenant.managed)/deviceAuthenticationPolicies"

  static let routes: [Route<Endpoint>] =
    .collection(all, "policy") { $0.tenant.policies.all } + [
      .administrator("POST", all, create), .administrator("PUT", "\(all)/{policy}", update),
      .administrator("DELETE", "\(all)/{policy}", delete),
    ]

  private static func create(_ call: Call) throws(Refusal) -> HTTPResponse {
    let body = try call.body()
    let policy = Policy(id: .random(), name: try body.requiredText("name"))
    guard call.tenant.policies.all.count < Policy.maximumCount else { throw .full("policies") }
    return call.shown(try put(policy, with: body, call.tenant), 201)
  }

  private static func update(_ call: Call) throws(Refusal) -> HTTPResponse {
    call.shown(try put(try call.policy(), with: try call.body(), call.tenant))
  }

  /// Keeps a policy with what a request says; `default: true` makes it the default in place of the one that was.
  private static func put(_ policy: Policy, with body: Members, _ tenant: Tenant) throws(Refusal) -> Policy {
    var policy = policy
    try policy.update(from: body, standard: tenant.application.id)
    guard !tenant.policies.all.contains(where: { $0.id != policy.id && $0.name == policy.name }) else {
      throw .taken("name")
    }
    guard policy.applicationIDs.allSatisfy({ tenant.applications[$0] != nil }) else {
      throw body.invalid("mobile.applications", "must name applications of this environment by their id")
    }
    tenant.policies.put(policy, isStandard: try body.bool("default") ?? false)
    return policy
  }

  private static func delete(_ call: Call) throws(Refusal) -> HTTPResponse {
    let policy = try call.policy()
    guard policy.id != call.tenant.policy.id else {
      throw .invalidRequest("The default policy cannot be deleted.")
    }
    call.tenant.policies.remove(policy)
    return .noContent
  }
}
