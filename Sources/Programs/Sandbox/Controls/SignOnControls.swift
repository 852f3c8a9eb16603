import EventLoop
import HTTPServer
import JSON

/// What sign-ons are like: `/sandbox/signOnPolicies` and `/sandbox/users/{user}`.
@EventLoop
enum SignOnControls {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/sandbox/signOnPolicies", listPolicies),
    .administrator("PUT", "/sandbox/signOnPolicies/{policy}", setPolicy),
    .administrator("GET", "/sandbox/users/{user}", readUser),
    .administrator("PUT", "/sandbox/users/{user}", setUser),
  ]

  private static func listPolicies(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, ["policies": .array(call.tenant.signOnPolicies.all.map { json(of: $0, call.tenant) })])
  }

  /// A policy that is not there yet comes to be; with `"default": true` it is played when a request names none.
  private static func setPolicy(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let (tenant, body) = (call.tenant, try call.body())
    let id = call.id("policy", of: SignOnPolicy.self)
    var policy = tenant.signOnPolicies[id] ?? SignOnPolicy(id: id, steps: SignOnPolicy.singleFactor.steps)
    try policy.update(from: body)
    guard tenant.signOnPolicies[id] != nil || tenant.signOnPolicies.all.count < SignOnPolicy.maximumCount
    else { throw .full("policies") }
    if try body.bool("default") ?? false {
      tenant.signOnPolicies.makeStandard(policy)
    } else {
      tenant.signOnPolicies.put(policy)
    }
    return .json(200, json(of: policy, tenant))
  }

  private static func json(of policy: SignOnPolicy, _ tenant: Tenant) -> JSON {
    var members = policy.json.object ?? [:]
    members["default"] = .bool(policy.id == tenant.signOnPolicies.standard.id)
    return .object(members)
  }

  private static func readUser(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, json(of: try call.user()))
  }

  private static func setUser(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var user = try call.user()
    let body = try call.body()
    user.passwordStatus =
      try body.choice("passwordStatus", of: User.PasswordStatus.self) ?? user.passwordStatus
    user.isVerified = try body.bool("verified") ?? user.isVerified
    call.tenant.users.put(user)
    return .json(200, json(of: user))
  }

  private static func json(of user: User) -> JSON {
    ["passwordStatus": .choice(user.passwordStatus), "verified": .bool(user.isVerified)]
  }
}
