import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}/mfaSettings`.
@EventLoop
enum MFASettingsRoutes {
  private static let one = "/v1/environments/{environment}/mfaSettings"

  static let routes: [Route<Endpoint>] = [
    .administrator("GET", one, read),
    .administrator("PUT", one, update),
    .administrator("DELETE", one, reset),
  ]

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.mfaSettingsJSON)
  }

  private static func update(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var settings = call.tenant.mfaSettings
    try settings.update(from: call.body())
    call.tenant.mfaSettings = settings
    return .json(200, call.tenant.mfaSettingsJSON)
  }

  /// Puts everything back to its default.
  private static func reset(_ call: Call) throws(PingOneError) -> HTTPResponse {
    call.tenant.mfaSettings = MFASettings()
    return .noContent
  }
}

extension Tenant {
  fileprivate var mfaSettingsJSON: JSON {
    var members = mfaSettings.json
    members["environment"] = .reference(environment.id)
    members["_links"] = .links([("self", "\(managementURL)/mfaSettings"), ("environment", managementURL)])
    return .object(members)
  }
}
