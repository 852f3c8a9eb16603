import EventLoop
import HTTPServer

/// `/v1/environments/{environment}/users/{user}/pairingKeys`, which the platform does not list.
@EventLoop
enum PairingKeyRoutes {
  private nonisolated static let all = "\(Tenant.managed)/users/{user}/pairingKeys"

  static let routes: [Route<Endpoint>] = [
    .administrator("POST", all, create), .administrator("GET", "\(all)/{pairingKey}", read),
    .administrator("DELETE", "\(all)/{pairingKey}", delete),
  ]

  private static let maximumValidKeys = 20

  private static func create(_ call: Call) throws(Refusal) -> HTTPResponse {
    let tenant = call.tenant
    let (user, body) = (try call.user(), try call.body())
    var applications: [ID<Application>] = []
    for named in try body.list("applications") ?? [] {
      let id = ID<Application>(try named.requiredText("id", maximum: 64))
      guard id == tenant.application.id else {
        throw named.invalid("id", "is not an application of this environment")
      }
      applications.append(id)
    }
    _ = try body.names("policy", tenant.policy.id, "a policy")
    guard tenant.validPairingKeys(of: user.id).count < maximumValidKeys else {
      let message = "A user can have at most \(maximumValidKeys) valid pairing keys."
      throw Refusal(400, "LIMIT_EXCEEDED", message)
    }
    // The member is the sandbox's own: one sandbox stands for the platform in all geographies.
    let region = try body.text("region") ?? Geography.northAmerica.regionCode
    guard let geography = Geography.allCases.first(where: { $0.regionCode == region }) else {
      throw .invalid("region", "must be one of \(Geography.regionCodes.joined(separator: ", "))")
    }
    return call.shown(tenant.makePairingKey(for: user.id, by: applications, geography), 201)
  }

  private static func read(_ call: Call) throws(Refusal) -> HTTPResponse { call.shown(try key(of: call)) }

  private static func delete(_ call: Call) throws(Refusal) -> HTTPResponse {
    call.tenant.pairingKeys[try key(of: call).id] = nil
    return .noContent
  }

  private static func key(of call: Call) throws(Refusal) -> PairingKey {
    try call.one("pairingKey", of: call.tenant.pairingKeys.all(by: try call.user().id.text))
  }
}
