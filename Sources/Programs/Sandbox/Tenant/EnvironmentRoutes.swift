import EventLoop
import HTTPServer
import JSON

enum EnvironmentRoutes {
  static let routes: [Route<Endpoint>] = [.administrator("GET", "/v1/environments/{environment}", read)]

  @EventLoop
  private static func read(_ call: Call) throws(Refusal) -> HTTPResponse {
    let tenant = call.tenant
    return .json([
      "_links": JSON.links(["self": tenant.managementURL, "users": "\(tenant.managementURL)/users"]),
      "id": tenant.environment.id, "name": tenant.environment.name, "type": "SANDBOX",
      "region": Geography.northAmerica.regionCode, "organization": tenant.environment.organization.reference,
      "license": tenant.environment.license.reference,
    ])
  }
}
