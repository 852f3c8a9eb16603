import EventLoop
import JOSE
import JSON
import OpenSSL
import TestHTTP
import Testing
import Time
import WebAddress

/// A client that signs a user on by `response_mode=pi.flow`.
@EventLoop
private struct SignOn {
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
    return Answer(status: answer.status, body: try JSON(parsing: answer.body), headers: answer.headers)
  }

  func form(_ path: String, _ parameters: [String: String]) async throws -> Answer {
    let body = FormEncoding.encode(parameters.map { ($0.key, $0.value) })
    return try await send("POST", path, type: "application/x-www-form-urlencoded", body: body)
  }

  func authorize() async throws -> Answer {
    try await send("GET", "/as/authorize?\(FormEncoding.encode(parameters.map { ($0.key, $0.value) }))")
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

  /// Everything up to the code.
  func code(for username: String) async throws -> String {
    let flow = try await authorize()
    #expect(flow.body["status"] == "USERNAME_PASSWORD_REQUIRED")
    let password = try bench.user(username).password
    let completed = try await checkPassword(flow, cookie: try cookie(flow), username, password)
    #expect(completed.body["status"] == "COMPLETED")
    let resumed = try await resume(flow, cookie: try cookie(completed))
    #expect(resumed.body["authorizeResponse"]?["state"] == "s1")
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

  /// The verified claims of the ID token that signing on gives.
  func idToken(for username: String) async throws -> JSONObject {
    let tokens = try await tokens(try await code(for: username))
    #expect(tokens.status == 200)
    let token = try CompactJWS(parsing: try #require(tokens.body["id_token"]?.string))
    let keys = try JWKSet(try await send("GET", "/as/jwks").body)
    #expect(token.header.keyID != nil)
    return try token.verified(with: keys, allowing: [.rs256]).claims()
  }
}

@Suite("Sign-on", .timeLimit(.minutes(5)))
struct SignOnTests {
  @Test("discovery names the endpoints of the issuer")
  func discovery() async throws {
    try await Bench.run { bench in
      let client = try SignOn(bench)
      let found = try await client.send("GET", "/as/.well-known/openid-configuration")
      #expect(found.body["issuer"]?.string == bench.issuer)
      #expect(found.body["jwks_uri"]?.string == "\(bench.issuer)/jwks")
      #expect(found.body["response_modes_supported"] == ["pi.flow"])
    }
  }

  @Test("user name and password lead to an ID token and to userinfo")
  func signOn() async throws {
    try await Bench.run { bench in
      let client = try SignOn(bench)
      let claims = try await client.idToken(for: "ann")
      #expect(claims["iss"]?.string == bench.issuer)
      #expect(claims["aud"]?.string == bench.clientID)
      #expect(claims["sub"]?.string == (try bench.user("ann").id))
      #expect(claims["nonce"] == "n1")
      #expect(claims["preferred_username"] == "ann")
      #expect(claims["env"]?.string == bench.environment)
      #expect(claims["amr"] == ["pwd"])
      #expect(claims["mfa_pairing"] == nil)
      let tokens = try await client.tokens(try await client.code(for: "bob"))
      let access = try #require(tokens.body["access_token"]?.string)
      let info = try await bench.send("GET", "/ENV/as/userinfo", token: access)
      #expect(info.body["preferred_username"] == "bob")
      let refused = try await bench.send("GET", "/ENV/as/userinfo")
      #expect(refused.status == 401)
      let idToken = try #require(tokens.body["id_token"]?.string)
      let wrongType = try await bench.send("GET", "/ENV/as/userinfo", token: idToken)
      #expect(wrongType.status == 401)
    }
  }

  @Test("a wrong password leaves the flow open")
  func wrongPassword() async throws {
    try await Bench.run { bench in
      let client = try SignOn(bench)
      let flow = try await client.authorize()
      let cookie = try client.cookie(flow)
      for (username, password) in [("ann", "wrong"), ("nobody", "wrong")] {
        let refused = try await client.checkPassword(flow, cookie: cookie, username, password)
        #expect(refused.status == 400)
        #expect(refused.code == "INVALID_DATA")
        #expect(refused.body["details"]?.array?.first?["target"] == "password")
      }
      let early = try await client.resume(flow, cookie: cookie)
      #expect(early.status == 400)
      let id = try #require(flow.body["id"]?.string)
      let read = try await client.send("GET", "/flows/\(id)", cookie: cookie)
      #expect(read.body["status"] == "USERNAME_PASSWORD_REQUIRED")
      #expect(read.body["_links"]?["usernamePassword.check"]?["href"]?.string?.hasSuffix(id) == true)
      let type = try await client.send(
        "POST",
        "/flows/\(id)",
        cookie: cookie,
        type: "application/json",
        body: "{}"
      )
      #expect(type.status == 415)
    }
  }

  @Test("a flow goes on only with its cookie, which changes at the sign-on")
  func cookies() async throws {
    try await Bench.run { bench in
      let client = try SignOn(bench)
      let flow = try await client.authorize()
      let (cookie, password) = (try client.cookie(flow), try bench.user("ann").password)
      let without = try await client.checkPassword(flow, cookie: "x", "ann", password)
      #expect(without.status == 403)
      let completed = try await client.checkPassword(flow, cookie: cookie, "ann", password)
      #expect(completed.status == 200)
      let old = try await client.resume(flow, cookie: cookie)
      #expect(old.status == 403)
      let resumed = try await client.resume(flow, cookie: try client.cookie(completed))
      #expect(resumed.status == 200)
      let again = try await client.resume(flow, cookie: try client.cookie(completed))
      #expect(again.status == 404)
    }
  }

  @Test("a code is good once, in time, with its verifier and redirect")
  func codes() async throws {
    try await Bench.run { bench in
      let client = try SignOn(bench)
      let code = try await client.code(for: "ann")
      let first = try await client.tokens(code)
      #expect(first.status == 200)
      let second = try await client.tokens(code)
      #expect(second.body["error"] == "invalid_grant")
      for wrong in [
        ["code_verifier": String(repeating: "w", count: 43)], ["redirect_uri": "http://127.0.0.1/other"],
      ] {
        let refused = try await client.tokens(try await client.code(for: "ann"), wrong)
        #expect(refused.status == 400)
        #expect(refused.body["error"] == "invalid_grant")
      }
      let old = try await client.code(for: "ann")
      try await bench.advance(seconds: 601)
      let over = try await client.tokens(old)
      #expect(over.body["error"] == "invalid_grant")
      let secret = try await client.tokens("x", ["client_secret": "x"])
      #expect(secret.status == 401)
      let grant = try await client.tokens("x", ["grant_type": "password"])
      #expect(grant.body["error"] == "unsupported_grant_type")
    }
  }

  @Test(
    "a bad authorization request is refused in OAuth's form",
    arguments: [
      ("scope", "profile", "invalid_scope"), ("scope", "openid admin", "invalid_scope"),
      ("code_challenge_method", "plain", "invalid_request"), ("code_challenge", "short", "invalid_request"),
      ("response_type", "token", "unsupported_response_type"),
      ("response_mode", "fragment", "invalid_request"), ("prompt", "other", "invalid_request"),
      ("client_id", "x", "invalid_request"),
    ]
  )
  func badRequests(_ name: String, _ value: String, _ error: String) async throws {
    try await Bench.run { bench in
      var client = try SignOn(bench)
      client.parameters[name] = value
      let refused = try await client.authorize()
      #expect(refused.status == 400)
      #expect(refused.body["error"]?.string == error)
    }
  }

  @Test("a redirect elsewhere is refused in the platform's form")
  func badRedirect() async throws {
    try await Bench.run { bench in
      var client = try SignOn(bench)
      client.parameters["redirect_uri"] = "https://example.com/callback"
      let refused = try await client.authorize()
      #expect(refused.status == 400)
      #expect(refused.body["details"]?.array?.first?["target"] == "redirect_uri")
    }
  }

  @Test("a pushed request is used once and lives a minute")
  func pushedRequests() async throws {
    try await Bench.run { bench in
      let client = try SignOn(bench)
      func push() async throws -> [String: String] {
        let pushed = try await client.form("/as/par", client.parameters)
        #expect(pushed.status == 201)
        #expect(pushed.body["expires_in"] == 60)
        let uri = try #require(pushed.body["request_uri"]?.string)
        return ["client_id": bench.clientID, "request_uri": uri]
      }
      let reference = try await push()
      let first = try await client.form("/as/authorize", reference)
      #expect(first.body["status"] == "USERNAME_PASSWORD_REQUIRED")
      let second = try await client.form("/as/authorize", reference)
      #expect(second.body["error"] == "invalid_request")
      let late = try await push()
      try await bench.advance(seconds: 60)
      let over = try await client.form("/as/authorize", late)
      #expect(over.body["error"] == "invalid_request")
    }
  }

  @Test("a mobile payload brings an offer to pair, until the device is paired")
  func pairingOffer() async throws {
    try await Bench.run { bench in
      var device = try await bench.trustedDevice()
      var client = try SignOn(bench)
      let cnf: JSONObject = ["cnf": .string(client.challenge), "jti": "payload-one"]
      client.parameters["mobilePayload"] = try device.payload(cnf)
      let offer = try #require(try await client.idToken(for: "ann")["mfa_pairing"])
      #expect(offer["device"]?.string == device.id)
      #expect(offer["payload"] == "payload-one")
      #expect(offer["expiresAt"]?.string != nil)
      try await device.pair(try #require(offer["key"]?.string))
      client.parameters["mobilePayload"] = try device.payload(["aud": .string(bench.url)])
      let again = try await client.idToken(for: "ann")
      #expect(again["mfa_pairing"] == nil)
      client.parameters["mobilePayload"] = try device.payload()
      let other = try await client.idToken(for: "bob")
      #expect(other["mfa_pairing"] != nil)
    }
  }

  @Test("a mobile payload that is not for this request is refused")
  func badPayloads() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      var client = try SignOn(bench)
      let now = TimeSource.system.now().seconds
      let bends: [JSONObject] = [
        ["aud": "https://example.com"], ["iss": "other"], ["client_id": "x"], ["cnf": "x"], ["sub": "x"],
        ["exp": .int(now - 1)], ["exp": .int(now + 3600)], ["jti": "short"], ["iat": .int(now + 600)],
      ]
      for bend in bends {
        client.parameters["mobilePayload"] = try device.payload(bend)
        let refused = try await client.authorize()
        #expect(refused.status == 400)
        #expect(refused.body["details"]?.array?.first?["target"] == "mobilePayload")
      }
      let good = try device.payload()
      client.parameters["mobilePayload"] = good
      let first = try await client.authorize()
      #expect(first.status == 200)
      let second = try await client.authorize()
      #expect(second.status == 400)
      client.parameters["mobilePayload"] = try TestDevice(bench).sign(
        ["sub": .string(device.id ?? "")],
        type: "mobile-payload+jwt"
      )
      let forged = try await client.authorize()
      #expect(forged.status == 400)
    }
  }
}
