import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}` itself.
enum EnvironmentRoutes {
  static let routes: [Route<Endpoint>] = [.administrator("GET", "/v1/environments/{environment}", read)]

  @EventLoop
  private static func read(_ call: Call) throws(Refusal) -> HTTPResponse {
    let tenant = call.tenant
    let subjects = ["users", "applications", "deviceAuthenticationPolicies", "mfaSettings", "activities"]
    let links = subjects.map { ($0, "\(tenant.managementURL)/\($0)") }
    return .json(
      200,
      [
        "_links": JSON.links([("self", tenant.managementURL)] + links), "id": .id(tenant.environment.id),
        "name": .string(tenant.environment.name), "type": "SANDBOX",
        "region": .string(Geography.northAmerica.regionCode),
        "organization": .reference(tenant.environment.organization),
      ]
    )
  }
}
