import EventLoop
import HTTPServer
import JSON

/// `/v1/environments/{environment}/users`.
@EventLoop
enum UserRoutes {
  static let routes: [Route<Endpoint>] = [
    .administrator("GET", "/v1/environments/{environment}/users", list),
    .administrator("POST", "/v1/environments/{environment}/users", create),
    .administrator("GET", "/v1/environments/{environment}/users/{user}", read),
    .administrator("DELETE", "/v1/environments/{environment}/users/{user}", delete),
    .action("account.unlock", "/v1/environments/{environment}/users/{user}", unlock),
    .administrator("GET", "/v1/environments/{environment}/users/{user}/mfaEnabled", readMFAEnabled),
    .administrator("PUT", "/v1/environments/{environment}/users/{user}/mfaEnabled", setMFAEnabled),
  ]

  private static func list(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    let filter = try Filter(call.query("filter"), over: ["username"])
    let users = tenant.users.all.filter { user in filter.passes { _ in [user.username] } }
    return try call.page("users", at: "\(tenant.managementURL)/users", of: users) { tenant.json(of: $0) }
  }

  private static func create(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let body = try call.body()
    let name = try body.members("name")
    let now = call.tenant.clock.now
    let user = User(
      id: .random(),
      username: try body.requiredText("username", maximum: 128),
      password: try body.members("password")?.text("value", maximum: 256),
      email: try body.text("email", maximum: 256),
      given: try name?.text("given", maximum: 256),
      family: try name?.text("family", maximum: 256),
      mfaEnabled: try body.bool("mfaEnabled") ?? call.tenant.mfaSettings.isOnForNewUsers,
      createdAt: now,
      updatedAt: now
    )
    try call.tenant.add(user)
    return .json(201, call.tenant.json(of: user))
  }

  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, call.tenant.json(of: try call.user()))
  }

  private static func delete(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let user = try call.user()
    for device in call.tenant.devices.all where device.user == user.id {
      call.tenant.unpair(device, "The user was deleted.")
    }
    call.tenant.pairingKeys.removeAll { $0.user == user.id }
    call.tenant.users[user.id] = nil
    return .noContent
  }

  private static func unlock(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var user = try call.user()
    user.lock = nil
    user.failures = 0
    call.tenant.users.put(user)
    call.tenant.audit(.userUnlocked, user: user.id, "An administrator unlocked the user.")
    return .json(200, call.tenant.json(of: user))
  }

  private static func readMFAEnabled(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .json(200, mfaEnabled(of: try call.user(), in: call.tenant))
  }

  private static func setMFAEnabled(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var user = try call.user()
    user.mfaEnabled = try call.body().requiredBool("mfaEnabled")
    user.updatedAt = call.tenant.clock.now
    call.tenant.users.put(user)
    return .json(200, mfaEnabled(of: user, in: call.tenant))
  }

  private static func mfaEnabled(of user: User, in tenant: Tenant) -> JSON {
    [
      "_links": .links([("self", "\(tenant.url(of: user))/mfaEnabled")]),
      "mfaEnabled": .bool(user.mfaEnabled), "updatedAt": .time(user.updatedAt),
    ]
  }
}
