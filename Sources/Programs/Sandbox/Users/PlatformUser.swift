import EventLoop
import HTTPServer
import JSON
import Time

struct PlatformUser: Resource, Codable {
  enum PasswordStatus: String, CaseIterable, Codable, Shown {
    case good = "OK"
    case mustChange = "MUST_CHANGE_PASSWORD"
    case expired = "PASSWORD_EXPIRED"
  }

  private(set) var id = ID<PlatformUser>.random()
  let username: String
  var password: String?
  var email: String?
  var given: String?
  var family: String?
  var mfaEnabled = true
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var failures = 0
  var lock: UserLock?
  /// Devices in the user's order; other devices follow.
  ///
  /// `nil` without an order.
  var deviceOrder: [ID<MFADevice>]? = []
  var passwordStatus = PasswordStatus.good
  /// True if the user has verified their mail address.
  var isVerified = true

  var handles: [String] { [username.lowercased()] }

  static let fields: [ResourceField<PlatformUser>] = [
    ResourceField("id", \.id), ResourceField("username", \.username),
    ResourceField("email", \.email, .text()),
    ResourceField("name.given", \.given, .text()), ResourceField("name.family", \.family, .text()),
    ResourceField("mfaEnabled", \.mfaEnabled, .flag), ResourceField("createdAt", \.createdAt),
    ResourceField("updatedAt", \.updatedAt),
  ]
  static let accountFields: [ResourceField<PlatformUser>] = [
    ResourceField("passwordStatus", \.passwordStatus, .choice),
    ResourceField("verified", \.isVerified, .flag),
  ]

  /// The parts of the name, `nil` if all are unknown.
  var name: JSON? { Self.fields.json(of: self)["name"] }

  /// The data of a user for a device.
  var summary: JSONObject { JSONObject(of: ["id": id, "username": username, "email": email, "name": name]) }

  func json(in tenant: Tenant) -> JSON {
    let lock = tenant.lock(of: self)
    let context = JSONObject(of: [
      "_links": JSON.links(["self": tenant.url(of: self), "environment": tenant.managementURL]),
      "environment": tenant.environment.id.reference, "enabled": true,
      "account": JSON.of([
        "canAuthenticate": lock == nil, "status": lock == nil ? "OK" : "LOCKED",
        "unlockAt": lock?.end.map { tenant.clock.instant(of: $0) },
      ]),
    ])
    return .object(Self.fields.json(of: self).adding(context))
  }
}

extension Tenant {
  private static let passwordLengths = 8...255
  private static let mostUsers = 20_000

  func url(of user: PlatformUser) -> String { "\(managementURL)/users/\(user.id.text)" }

  func user(named username: String) -> PlatformUser? {
    users.all(by: username.lowercased()).first
  }

  func user(named username: String, password: String) -> PlatformUser? {
    let user = user(named: username)
    // An unknown user and a user without a password have an empty password, which is never correct.
    let isRight = isSameSecret(user?.password ?? "", password)
    return isRight && !password.isEmpty ? user : nil
  }

  func add(_ user: PlatformUser) throws(ErrorResponse) {
    guard (1...128).contains(user.username.utf8.count) else {
      throw .invalid("username", "must not be empty")
    }
    guard self.user(named: user.username) == nil else { throw .taken("username") }
    guard users.count < Self.mostUsers else { throw .full("users") }
    users.put(user)
  }

  /// Throws if a new password violates the policy; `member` names the password in the request.
  func check(_ password: String, for user: PlatformUser, _ member: String) throws(ErrorResponse) {
    var unsatisfied: JSONObject = [:]
    if !Self.passwordLengths.contains(password.count) {
      unsatisfied["length"] = "The password must have from 8 to 255 characters."
    }
    if password == user.password { unsatisfied["history"] = "The password equals the previous one." }
    guard !unsatisfied.isEmpty else { return }
    unsatisfied["unsatisfiedRequirements"] = .strings(unsatisfied.names)
    throw .invalid(
      member,
      "User password did not satisfy password policy requirements",
      innerError: .object(unsatisfied)
    )
  }
}

@EventLoop
enum UserRoutes {
  private nonisolated static let all = "\(Tenant.managed)/users"

  static let routes: [Route<Endpoint>] =
    [
      .administrator("GET", all) { call throws(ErrorResponse) in try call.page("users", of: try users(call))
      },
      .administrator("GET", "\(all)/{user}") { call throws(ErrorResponse) in call.shown(try call.user()) },
      .administrator("POST", all, create), .administrator("DELETE", "\(all)/{user}", delete),
      .action("account.unlock", "\(all)/{user}", unlock),
      .administrator("GET", "\(all)/{user}/mfaEnabled", readMFAEnabled),
      .administrator("PUT", "\(all)/{user}/mfaEnabled", setMFAEnabled),
    ]

  private static func users(_ call: Call) throws(ErrorResponse) -> [PlatformUser] {
    let filter = try Filter(call.query("filter"), over: ["username"])
    return call.tenant.users.all.filter { user in filter.passes { _ in [user.username] } }
  }

  private static func create(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, body) = (call.tenant, try call.body())
    let (username, now) = (try body.requiredText("username", maximum: 128), tenant.clock.now)
    var user = PlatformUser(username: username, createdAt: now, updatedAt: now)
    user.mfaEnabled = tenant.mfaSettings.isOnForNewUsers
    user.password = try body.members("password")?.text("value", maximum: 256)
    try PlatformUser.fields.update(&user, from: body)
    try tenant.add(user)
    return call.shown(user, 201)
  }

  private static func delete(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let user = try call.user()
    for device in call.tenant.devices.all(by: user.id.text) {
      call.tenant.remove(device)
    }
    call.tenant.pairingKeys.removeAll { $0.user == user.id }
    call.tenant.factors.removeAll { $0.user == user.id }
    call.tenant.users[user.id] = nil
    return .noContent
  }

  private static func unlock(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var user = try call.user()
    user.lock = nil
    user.failures = 0
    call.tenant.users.put(user)
    return call.shown(user)
  }

  private static func readMFAEnabled(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let user = try call.user()
    let links: JSON = .links(["self": "\(call.tenant.url(of: user))/mfaEnabled"])
    return .json(["_links": links, "mfaEnabled": user.mfaEnabled])
  }

  private static func setMFAEnabled(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    var user = try call.user()
    user.mfaEnabled = try call.body().requiredBool("mfaEnabled")
    user.updatedAt = call.tenant.clock.now
    call.tenant.users.put(user)
    return try readMFAEnabled(call)
  }
}
