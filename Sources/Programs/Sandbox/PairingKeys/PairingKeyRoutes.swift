import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}/users/{user}/pairingKeys`.
@EventLoop
enum PairingKeyRoutes {
  static let routes: [Route<Endpoint>] = [
    .administrator("POST", "/v1/environments/{environment}/users/{user}/pairingKeys", create),
    .administrator("GET", "/v1/environments/{environment}/users/{user}/pairingKeys/{pairingKey}", read),
    .administrator("DELETE", "/v1/environments/{environment}/users/{user}/pairingKeys/{pairingKey}", delete),
  ]

  private static let maximumValidKeys = 20

  private static func create(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let user = try call.user()
    let body = try call.body()
    let applications = try applications(in: body, of: tenant)
    let policy = try body.policy(of: tenant) ?? tenant.policy
    guard tenant.validPairingKeys(of: user.id).count < maximumValidKeys else {
      throw .limitExceeded("A user can have at most \(maximumValidKeys) valid pairing keys.")
    }
    let key = tenant.makePairingKey(
      for: user.id,
      applications: applications,
      policy: policy,
      geography: try geography(in: body)
    )
    return .json(201, tenant.json(of: key))
  }

  private static func applications(
    in body: Members,
    of tenant: Tenant
  ) throws(PingOneError) -> [ID<Application>] {
    var ids: [ID<Application>] = []
    for named in try body.list("applications") ?? [] {
      let id = ID<Application>(try named.requiredText("id", maximum: 64))
      guard tenant.applications[id] != nil else {
        throw named.invalid("id", "is not an application of this environment")
      }
      ids.append(id)
    }
    return ids
  }

  /// The member `region` is the sandbox's own: one sandbox stands for the platform in all geographies.
  private static func geography(in body: Members) throws(PingOneError) -> Geography {
    guard let code = try body.text("region") else { return .northAmerica }
    guard let geography = Geography(regionCode: code) else { throw .invalid("region", "is not a region") }
    return geography
  }

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try key(of: call)))
  }

  private static func delete(_ call: Call) throws(PingOneError) -> HTTPResponse {
    call.tenant.pairingKeys[try key(of: call).id] = nil
    return .noContent
  }

  private static func key(of call: Call) throws(PingOneError) -> PairingKey {
    let user = try call.user()
    let key = try call.thing("pairingKey", on: call.tenant.pairingKeys)
    guard key.user == user.id else { throw .notFound }
    return key
  }
}

extension Tenant {
  /// A pairing key as the management API shows it.
  fileprivate func json(of key: PairingKey) -> JSON {
    let user = "\(managementURL)/users/\(key.user.text)"
    return .present([
      ("_links", .links([("self", "\(user)/pairingKeys/\(key.id.text)"), ("user", user)])),
      ("id", .id(key.id)), ("environment", .reference(environment.id)), ("user", .reference(key.user)),
      ("code", .string(key.code)), ("status", .string(key.status.rawValue)), ("error", key.failure?.json),
      ("applications", .array(key.applications.map { .reference($0) })),
      ("policy", .reference(key.policy)), ("createdAt", .time(key.createdAt)),
      ("updatedAt", .time(key.updatedAt)), ("expiresAt", .time(clock.instant(of: key.deadline))),
    ])
  }
}
