import EventLoop
import JSON
import Testing

/// A client that plays a sign-on policy and stores its changing cookie.
@EventLoop
struct PolicyClient {
  var client: SignOnClient
  var answer: Answer
  var cookie: String

  /// Starts a sign-on by a policy with these steps.
  init(_ bench: Bench, _ steps: [String], noDeviceMode: String = "BLOCK") async throws {
    let set = try await bench.send(
      "PUT",
      "/sandbox/signOnPolicies/Test",
      ["steps": .array(steps.map { .string($0) }), "noDeviceMode": .string(noDeviceMode)]
    )
    #expect(set.status == 200)
    try await self.init(try SignOnClient(bench), acr: "Test")
  }

  init(_ client: SignOnClient, acr: String?, cookie: String? = nil) async throws {
    self.client = client
    self.client.parameters["acr_values"] = acr
    answer = try await self.client.authorize(cookie: cookie)
    self.cookie = try client.cookie(answer)
  }

  var status: String? { answer.body["status"]?.string }

  var embedded: JSON? { answer.body["_embedded"] }

  private func path() throws -> String { "/flows/\(try answer.text("id"))" }

  /// Runs an action.
  ///
  /// A rejected action leaves the flow unchanged.
  @discardableResult
  mutating func act(_ action: String, _ body: JSON = [:]) async throws -> Answer {
    let next = try await client.send(
      "POST",
      try path(),
      cookie: cookie,
      type: "application/vnd.pingidentity.\(action)+json",
      body: body.text
    )
    try take(next)
    return next
  }

  mutating func read() async throws {
    let next = try await client.send("GET", try path(), cookie: cookie)
    #expect(next.status == 200)
    try take(next)
  }

  private mutating func take(_ next: Answer) throws {
    guard next.status == 200 else { return }
    // The links are exactly the possible actions.
    #expect(next.body["_links"]?["self"] != nil)
    answer = next
    cookie = try client.cookie(next)
  }

  mutating func checkPassword(_ username: String = "ann", _ password: String? = nil) async throws {
    let password = try password ?? client.bench.user(username).password
    try await act(
      "usernamePassword.check",
      ["username": .string(username), "password": .string(password)]
    )
  }

  /// Returns the ID token's claims of the completed flow.
  func claims() async throws -> JSONObject {
    #expect(status == "COMPLETED")
    let resumed = try await client.resume(answer, cookie: cookie)
    let code = try #require(resumed.body["authorizeResponse"]?["code"]?.string)
    return try await client.verified(try await client.tokens(code))
  }
}

extension Bench {
  /// Codes sent to a user, the newest last.
  func codes(_ kind: String, of username: String) async throws -> [String] {
    let answer = try await send("GET", "/sandbox/messages")
    let messages = answer.body["messages"]?.array ?? []
    return messages.filter { $0["type"]?.string == kind && $0["username"]?.string == username }
      .compactMap { $0["code"]?.string }
  }

  func setUser(_ username: String, _ settings: JSON) async throws {
    let answer = try await send("PUT", "/sandbox/users/\(try user(username).id)", settings)
    #expect(answer.status == 200)
  }
}
