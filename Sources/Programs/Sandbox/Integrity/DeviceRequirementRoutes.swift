import EventLoop
import HTTPServer
import JSON

@EventLoop
enum DeviceRequirementRoutes {
  private nonisolated static let one = "\(Tenant.managed)/applications/{application}/deviceRequirements"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", one, read), .administrator("PUT", one, replace),
  ]

  private static func read(_ call: Call) throws(Refusal) -> HTTPResponse {
    let application = try call.application()
    let address = call.tenant.url(of: application)
    let links: JSON = .links(["self": "\(address)/deviceRequirements", "application": address])
    return .json(200, application.requirements.json.adding(.of(["_links": links])))
  }

  private static func replace(_ call: Call) throws(Refusal) -> HTTPResponse {
    var application = try call.application()
    application.requirements = try DeviceRequirements(call.body())
    application.updatedAt = call.tenant.clock.now
    call.tenant.applications.put(application)
    return try read(call)
  }
}
