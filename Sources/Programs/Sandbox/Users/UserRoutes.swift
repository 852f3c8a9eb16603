import EventLoop
import HTTPServer
import JSON

@EventLoop
enum UserRoutes {
  private nonisolated static let all = "\(Tenant.managed)/users"

  static let routes: [Route<Endpoint>] =
    [
      .administrator("GET", all) { call throws(Refusal) in try call.page("users", of: try users(call)) },
      .administrator("GET", "\(all)/{user}") { call throws(Refusal) in call.shown(try call.user()) },
      .administrator("POST", all, create), .administrator("DELETE", "\(all)/{user}", delete),
      .action("account.unlock", "\(all)/{user}", unlock),
      .administrator("GET", "\(all)/{user}/mfaEnabled", readMFAEnabled),
      .administrator("PUT", "\(all)/{user}/mfaEnabled", setMFAEnabled),
    ]

  private static func users(_ call: Call) throws(Refusal) -> [User] {
    let filter = try Filter(call.query("filter"), over: ["username"])
    return call.tenant.users.all.filter { user in filter.passes { _ in [user.username] } }
  }

  private static func create(_ call: Call) throws(Refusal) -> HTTPResponse {
    let (tenant, body) = (call.tenant, try call.body())
    let (username, now) = (try body.requiredText("username", maximum: 128), tenant.clock.now)
    var user = User(username: username, createdAt: now, updatedAt: now)
    user.mfaEnabled = tenant.mfaSettings.isOnForNewUsers
    user.password = try body.members("password")?.text("value", maximum: 256)
    try User.fields.update(&user, from: body)
    try tenant.add(user)
    return call.shown(user, 201)
  }

  private static func delete(_ call: Call) throws(Refusal) -> HTTPResponse {
    let user = try call.user()
    for device in call.tenant.devices.all(by: user.id.text) {
      call.tenant.remove(device)
    }
    call.tenant.pairingKeys.removeAll { $0.user == user.id }
    call.tenant.factors.removeAll { $0.user == user.id }
    call.tenant.users[user.id] = nil
    return .noContent
  }

  private static func unlock(_ call: Call) throws(Refusal) -> HTTPResponse {
    var user = try call.user()
    user.lock = nil
    user.failures = 0
    call.tenant.users.put(user)
    return call.shown(user)
  }

  private static func readMFAEnabled(_ call: Call) throws(Refusal) -> HTTPResponse {
    let user = try call.user()
    let links: JSON = .links(["self": "\(call.tenant.url(of: user))/mfaEnabled"])
    return .json(["_links": links, "mfaEnabled": user.mfaEnabled])
  }

  private static func setMFAEnabled(_ call: Call) throws(Refusal) -> HTTPResponse {
    var user = try call.user()
    user.mfaEnabled = try call.body().requiredBool("mfaEnabled")
    user.updatedAt = call.tenant.clock.now
    call.tenant.users.put(user)
    return try readMFAEnabled(call)
  }
}
