import EventLoop
import HTTPServer
import JSON

@EventLoop
enum MFASettingsRoutes {
  private nonisolated static let one = "\(Tenant.managed)/mfaSettings"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", one, shown), .administrator("PUT", one, update),
    .administrator("DELETE", one, reset),
  ]

  private static func shown(_ call: Call) -> HTTPResponse {
    let (tenant, address) = (call.tenant, "\(call.tenant.managementURL)/mfaSettings")
    let context = JSONObject(of: [
      "environment": tenant.environment.id.reference,
      "_links": JSON.links(["self": address, "environment": tenant.managementURL]),
    ])
    return .json(200, .object(MFASettings.fields.json(of: tenant.mfaSettings).adding(context)))
  }

  private static func update(_ call: Call) throws(Refusal) -> HTTPResponse {
    var settings = call.tenant.mfaSettings
    try MFASettings.fields.update(&settings, from: call.body())
    call.tenant.mfaSettings = settings
    return shown(call)
  }

  private static func reset(_ call: Call) -> HTTPResponse {
    call.tenant.mfaSettings = MFASettings()
    return .noContent
  }
}
