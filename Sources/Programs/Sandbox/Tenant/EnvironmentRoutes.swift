import EventLoop
import HTTPServer
import JSON

enum EnvironmentRoutes {
  static let routes: [Route<Endpoint>] = [.administrator("GET", "/v1/environments/{environment}", read)]

  @EventLoop
  private static func read(_ call: Call) throws(Refusal) -> HTTPResponse {
    let tenant = call.tenant
    let subjects = ["users", "applications", "deviceAuthenticationPolicies", "mfaSettings", "activities"]
    let links = subjects.map { ($0, JSON.string("\(tenant.managementURL)/\($0)")) }
    return .json([
      "_links": JSON.links(["self": tenant.managementURL], adding: JSONObject(links)),
      "id": tenant.environment.id, "name": tenant.environment.name, "type": "SANDBOX",
      "region": Geography.northAmerica.regionCode, "organization": tenant.environment.organization.reference,
      "license": tenant.environment.license.reference,
    ])
  }
}
