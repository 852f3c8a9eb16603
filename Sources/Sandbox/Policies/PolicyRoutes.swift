import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}` itself and its device authentication policy.
enum PolicyRoutes {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/v1/environments/{environment}", readEnvironment),
    .administrator("GET", "/v1/environments/{environment}/deviceAuthenticationPolicies", list),
    .administrator("GET", "/v1/environments/{environment}/deviceAuthenticationPolicies/{policy}", read),
    .administrator("PUT", "/v1/environments/{environment}/deviceAuthenticationPolicies/{policy}", update),
  ]

  @EventLoop
  private static func readEnvironment(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    return .json(
      200,
      [
        "_links": .links([("self", tenant.managementURL), ("users", "\(tenant.managementURL)/users")]),
        "id": .id(tenant.environment.id), "name": .string(tenant.environment.name), "type": "SANDBOX",
        "region": .string(Geography.northAmerica.regionCode),
        "organization": .reference(tenant.environment.organization),
      ]
    )
  }

  @EventLoop
  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let policy = call.tenant.policy.json(application: call.tenant.application)
    return .json(
      200,
      [
        "_links": .links([("self", "\(call.tenant.managementURL)/deviceAuthenticationPolicies")]),
        "_embedded": ["deviceAuthenticationPolicies": [policy]], "count": 1, "size": 1,
      ]
    )
  }

  @EventLoop
  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    guard call.id("policy", of: Policy.self) == call.tenant.policy.id else { throw .notFound }
    return .json(200, call.tenant.policy.json(application: call.tenant.application))
  }

  @EventLoop
  private static func update(_ call: Call) throws(PingOneError) -> HTTPResponse {
    guard call.id("policy", of: Policy.self) == call.tenant.policy.id else { throw .notFound }
    var policy = call.tenant.policy
    try policy.update(from: call.body())
    call.tenant.policy = policy
    return .json(200, policy.json(application: call.tenant.application))
  }
}
