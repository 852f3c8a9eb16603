import EventLoop
import JOSE
import JSON
import OpenSSL
import TestHTTP
import Testing
import WebAddress

/// A client that signs a user on with `response_mode=pi.flow`.
@EventLoop
struct SignOnClient {
  let bench: Bench
  let verifier = String(repeating: "v", count: 43)
  var parameters: [String: String]

  init(_ bench: Bench) throws {
    self.bench = bench
    parameters = [
      "client_id": bench.clientID, "response_type": "code", "response_mode": "pi.flow",
      "scope": "openid profile", "redirect_uri": "http://127.0.0.1:7777/callback", "state": "s1",
      "nonce": "n1", "code_challenge": Base64URL.encode(try digest(Array(verifier.utf8), .sha256)),
      "code_challenge_method": "S256",
    ]
  }

  var challenge: String { parameters["code_challenge"] ?? "" }

  func send(
    _ method: String,
    _ path: String,
    cookie: String? = nil,
    type: String? = nil,
    body: String = ""
  ) async throws -> Answer {
    var headers: [(String, String)] = []
    if let cookie { headers.append(("Cookie", "other=1; ST=\(cookie)")) }
    if let type { headers.append(("Content-Type", type)) }
    let target = "/\(bench.environment)\(path)"
    let answer = try await TestHTTPClient.send(
      method,
      target,
      port: bench.port,
      headers: headers,
      body: Array(body.utf8)
    )
    return Answer(
      status: answer.status,
      body: (try? JSON(parsing: answer.body)) ?? .null,
      headers: answer.headers,
      text: answer.text
    )
  }

  func form(_ path: String, _ parameters: [String: String], cookie: String? = nil) async throws -> Answer {
    let body = FormEncoding.encode(parameters.map { ($0.key, $0.value) })
    let type = "application/x-www-form-urlencoded"
    return try await send("POST", path, cookie: cookie, type: type, body: body)
  }

  func authorize(cookie: String? = nil) async throws -> Answer {
    let query = FormEncoding.encode(parameters.map { ($0.key, $0.value) })
    return try await send("GET", "/as/authorize?\(query)", cookie: cookie)
  }

  func cookie(_ answer: Answer) throws -> String {
    let field = try #require(answer.headers.first { $0.name == "set-cookie" }?.value)
    return String(try #require(field.split(separator: ";").first).dropFirst("ST=".count))
  }

  func checkPassword(_ flow: Answer, cookie: String, _ username: String, _ password: String) async throws
    -> Answer
  {
    let body: JSON = ["username": .string(username), "password": .string(password)]
    return try await send(
      "POST",
      "/flows/\(try #require(flow.body["id"]?.string))",
      cookie: cookie,
      type: "application/vnd.pingidentity.usernamePassword.check+json",
      body: body.text
    )
  }

  func resume(_ flow: Answer, cookie: String) async throws -> Answer {
    try await send("GET", "/as/resume?flowId=\(try #require(flow.body["id"]?.string))", cookie: cookie)
  }

  /// Signs the user on and returns the code.
  func code(for username: String) async throws -> String {
    let flow = try await authorize()
    #expect(flow.body["status"] == "USERNAME_PASSWORD_REQUIRED")
    let password = try bench.user(username).password
    let completed = try await checkPassword(flow, cookie: try cookie(flow), username, password)
    #expect(completed.body["status"] == "COMPLETED")
    let resumed = try await resume(flow, cookie: try cookie(completed))
    #expect(resumed.body["authorizeResponse"]?["state"] == "s1")
    #expect(resumed.body["authorizeResponse"]?["iss"]?.string == bench.issuer)
    return try #require(resumed.body["authorizeResponse"]?["code"]?.string)
  }

  func tokens(_ code: String, _ more: [String: String] = [:]) async throws -> Answer {
    var body = [
      "grant_type": "authorization_code", "client_id": bench.clientID, "code": code,
      "redirect_uri": "http://127.0.0.1:8888/callback", "code_verifier": verifier,
    ]
    body.merge(more) { $1 }
    return try await form("/as/token", body)
  }

  /// Signs the user on and returns the verified ID token's claims.
  func idToken(for username: String) async throws -> JSONObject {
    let tokens = try await tokens(try await code(for: username))
    #expect(tokens.status == 200)
    return try await verified(tokens)
  }

  /// Verifies the ID token of a token response and returns its claims.
  func verified(_ tokens: Answer) async throws -> JSONObject {
    let token = try CompactJWS(parsing: try tokens.text("id_token"))
    let keys = try JWKSet(try await send("GET", "/as/jwks").body)
    #expect(token.header.keyID != nil)
    return try token.verified(with: keys, allowing: [.rs256]).claims()
  }

  /// Signs the user on with this scope and returns the token response.
  func tokens(for username: String, scope: String = "openid profile offline_access") async throws -> Answer {
    var client = self
    client.parameters["scope"] = scope
    let answer = try await client.tokens(try await client.code(for: username))
    #expect(answer.status == 200)
    return answer
  }

  func refresh(_ token: String, _ more: [String: String] = [:]) async throws -> Answer {
    var body = ["grant_type": "refresh_token", "client_id": bench.clientID, "refresh_token": token]
    body.merge(more) { $1 }
    return try await form("/as/token", body)
  }

  func userInfo(_ accessToken: String) async throws -> Answer {
    try await bench.send("GET", "/ENV/as/userinfo", token: accessToken)
  }

  /// Sends a token as the client.
  func present(_ token: String, to path: String) async throws -> Answer {
    try await form(path, ["client_id": bench.clientID, "token": token])
  }
}

extension Answer {
  func text(_ name: String) throws -> String { try #require(body[name]?.string) }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// Parameters of the redirect URL.
  func redirect() throws -> [String: String] {
    #expect(status == 302)
    let parts = try #require(header("location")).split(separator: "?", maxSplits: 1)
    #expect(parts[0] == "http://127.0.0.1:7777/callback")
    let parameters = try #require(FormEncoding.decode(parts.count > 1 ? parts[1] : ""))
    return Dictionary(parameters) { $1 }
  }
}
