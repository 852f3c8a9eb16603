import EventLoop
import JSON
import Sandbox
import TestHTTP
import TestLoop
import Testing
import Time

/// A response with a JSON body.
struct Answer: Sendable {
  let status: Int
  let body: JSON
  var headers: [(name: String, value: String)] = []
  var text = ""

  /// The error's code.
  var code: String? { body["code"]?.string }
  /// The code of the error's first detail.
  var detail: String? { body["details"]?.array?.first?["code"]?.string }
}

/// Number of sandboxes that may run at a time.
///
/// All tests share one event loop. With hundreds of sandboxes, a proof would be rejected as older than one minute
/// before the loop reads its request.
@EventLoop
enum SandboxSlots {
  private static var free = 4
  private static var waiting: [CheckedContinuation<Void, Never>] = []

  static func take() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
  }

  static func release() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}

/// A running sandbox with its administrator's data.
@EventLoop
struct Bench {
  let port: UInt16
  let url: String
  let environment: String
  let token: String
  let about: JSON

  /// Runs a test with its own sandbox.
  nonisolated static func run(_ body: @escaping @EventLoop @Sendable (Bench) async throws -> Void)
    async throws
  { try await run(selfService: false, body) }

  nonisolated static func run(
    selfService: Bool,
    _ body: @escaping @EventLoop @Sendable (Bench) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      await SandboxSlots.take()
      defer { SandboxSlots.release() }
      let server = try SandboxServer(selfService: selfService)
      defer { server.stop() }
      try await body(Bench(server))
    }
  }

  init(_ server: SandboxServer) throws {
    about = server.announcement
    port = server.port
    url = try #require(about["url"]?.string)
    environment = try #require(about["environment"]?.string)
    token = try #require(about["adminToken"]?.string)
  }

  nonisolated var issuer: String { about["issuer"]?.string ?? "" }
  nonisolated var clientID: String { about["clientId"]?.string ?? "" }

  func user(_ username: String) throws -> (id: String, password: String) {
    let user = about["users"]?.array?.first { $0["username"]?.string == username }
    return (try #require(user?["id"]?.string), try #require(user?["password"]?.string))
  }

  /// Sends a request of the administrator.
  ///
  /// `ENV` in the path is replaced by the environment.
  func send(
    _ method: String,
    _ path: String,
    _ body: JSON? = nil,
    type: String = "application/json",
    token: String? = nil
  ) async throws -> Answer {
    let path = path.split(separator: "ENV", omittingEmptySubsequences: false).joined(separator: environment)
    let headers = [("Authorization", "Bearer \(token ?? self.token)"), ("Content-Type", type)]
    let answer = try await TestHTTPClient.send(
      method,
      path,
      port: port,
      headers: headers,
      body: body?.serialized ?? []
    )
    let json = answer.body.isEmpty ? JSON.null : try JSON(parsing: answer.body)
    return Answer(status: answer.status, body: json, headers: answer.headers)
  }

  func advance(seconds: Int) async throws {
    let answer = try await send("POST", "/sandbox/clock", ["advance": .int(seconds)])
    #expect(answer.status == 200)
  }

  func pairingKey(for username: String, _ body: JSON? = nil) async throws -> (id: String, code: String) {
    let user = try user(username).id
    let answer = try await send("POST", "/v1/environments/ENV/users/\(user)/pairingKeys", body)
    #expect(answer.status == 201)
    return (try #require(answer.body["id"]?.string), try #require(answer.body["code"]?.string))
  }

  func pairingKeyStatus(_ id: String, of username: String) async throws -> Answer {
    try await send("GET", "/v1/environments/ENV/users/\(try user(username).id)/pairingKeys/\(id)")
  }

  /// Runs a test with a sandbox that stores its state in a file.
  nonisolated static func run(
    data path: String,
    time: TimeSource = .system,
    _ body: @escaping @EventLoop @Sendable (Bench) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      await SandboxSlots.take()
      defer { SandboxSlots.release() }
      let server = try SandboxServer(data: path, time: time)
      defer { server.stop() }
      try await body(Bench(server))
    }
  }

  /// A device with trust that accepts pushes.
  func trustedDevice(geo: String = "NorthAmerica") async throws -> TestDevice {
    var device = try TestDevice(self)
    try await device.trust(geo: geo)
    let push = try await device.call("PUT", "/push", ["provider": "POLL", "allowed": true])
    #expect(push.body["pushEnabled"]?.bool == true)
    return device
  }

  /// A device that is paired with these users.
  func pairedDevice(_ usernames: String...) async throws -> TestDevice {
    var device = try await trustedDevice()
    for username in usernames {
      let key = try await pairingKey(for: username)
      try await device.pair(key.code)
    }
    return device
  }

  func startAuthentication(of username: String, _ more: JSONObject = [:]) async throws -> Answer {
    var body: JSONObject = ["user": ["id": .string(try user(username).id)]]
    for member in more.members { body[member.name] = member.value }
    let answer = try await send("POST", "/ENV/deviceAuthentications", .object(body))
    #expect(answer.status == 201)
    return answer
  }

  func authentication(_ started: Answer) async throws -> Answer {
    try await send("GET", "/ENV/deviceAuthentications/\(try #require(started.body["id"]?.string))")
  }

  /// Runs an action on a device authentication.
  func act(_ started: Answer, _ action: String, _ body: JSON) async throws -> Answer {
    try await send(
      "POST",
      "/ENV/deviceAuthentications/\(try #require(started.body["id"]?.string))",
      body,
      type: "application/vnd.pingidentity.\(action)+json"
    )
  }
}
