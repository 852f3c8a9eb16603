import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}/applications/{application}/deviceRequirements`.
@EventLoop
enum DeviceRequirementRoutes {
  private static let one = "/v1/environments/{environment}/applications/{application}/deviceRequirements"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", one, read),
    .administrator("PUT", one, replace),
  ]

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.requirements(of: try call.application()))
  }

  private static func replace(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var application = try call.application()
    application.requirements = try DeviceRequirements(call.body())
    application.updatedAt = call.tenant.clock.now
    call.tenant.applications.put(application)
    return .json(200, call.tenant.requirements(of: application))
  }
}

extension Tenant {
  fileprivate func requirements(of application: Application) -> JSON {
    var members = application.requirements.json.object ?? [:]
    members["_links"] = .links([
      ("self", "\(url(of: application))/deviceRequirements"), ("application", url(of: application)),
    ])
    return .object(members)
  }
}
