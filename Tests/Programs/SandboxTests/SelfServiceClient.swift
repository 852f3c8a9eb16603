import EventLoop
import JSON
import Testing

/// A user that manages their own devices with a sign-on token.
@EventLoop
struct SelfServiceClient {
  let bench: Bench
  let token: String
  let scope: [String]
  private let path: String

  static nonisolated let all = ["create", "read", "update", "delete"].map { "p1:\($0):device" }

  init(_ bench: Bench, as username: String = "ann", scope: [String] = all) async throws {
    let wanted = (["openid"] + scope).joined(separator: " ")
    let tokens = try await SignOnClient(bench).tokens(for: username, scope: wanted)
    self.bench = bench
    token = try tokens.text("access_token")
    self.scope = try tokens.text("scope").split(separator: " ").map(String.init)
    path = try bench.devicesPath(of: username)
  }

  func send(_ method: String, _ rest: String = "", _ body: JSON? = nil, action: String? = nil)
    async throws -> Answer
  {
    let type = action.map { "application/vnd.pingidentity.\($0)+json" } ?? "application/json"
    return try await bench.send(method, path + rest, body, type: type, token: token)
  }

  func create(_ more: JSONObject = [:]) async throws -> Answer {
    var body: JSONObject = ["type": "TOTP"]
    for member in more.members { body[member.name] = member.value }
    return try await send("POST", "", .object(body))
  }

  func activate(_ created: Answer, _ passcode: String) async throws -> Answer {
    try await send(
      "POST",
      "/\(try created.text("id"))",
      ["otp": .string(passcode)],
      action: "device.activate"
    )
  }

  /// Creates an active authenticator app, which uses up the previous window's passcode.
  func enrol() async throws -> (id: String, authenticator: Authenticator) {
    let created = try await create()
    #expect(created.status == 201)
    let authenticator = try #require(Authenticator(base32: try created.text("secret")))
    let passcode = try authenticator.passcode(ofWindow: authenticator.currentWindow - 1)
    let active = try await activate(created, passcode)
    #expect(active.body["status"] == "ACTIVE")
    return (try created.text("id"), authenticator)
  }
}
