import EventLoop
import JOSE
import JSON
import Testing
import Time

@Suite("sign-on", .timeLimit(.minutes(30)))
struct SignOnTests {
  @Test("the metadata name the issuer's endpoints")
  func discovery() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let found = try await client.send("GET", "/as/.well-known/openid-configuration")
      #expect(found.body["issuer"]?.string == bench.issuer)
      #expect(found.body["jwks_uri"]?.string == "\(bench.issuer)/jwks")
      #expect(found.body["response_modes_supported"] == ["pi.flow", "query"])
      #expect(found.body["authorization_response_iss_parameter_supported"]?.bool == true)
      for (name, path) in [
        ("revocation_endpoint", "/as/revoke"), ("introspection_endpoint", "/as/introspect"),
        ("end_session_endpoint", "/as/signoff"), ("ping_end_idp_session_endpoint", "/idp/signoff"),
        ("device_authorization_endpoint", "/as/device_authorization"), ("token_endpoint", "/as/token"),
        ("pushed_authorization_request_endpoint", "/as/par"),
      ] {
        #expect(found.body[name]?.string == "\(bench.url)/\(bench.environment)\(path)")
      }
      #expect(found.body["grant_types_supported"]?.array?.count == 3)
    }
  }

  @Test("valid credentials give an ID token and userinfo")
  func signOn() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
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

  @Test("a wrong password keeps the flow open")
  func wrongPassword() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
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

  @Test("a flow requires its cookie, which changes at sign-on")
  func cookies() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
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

  @Test("a code is valid once, in time, with its verifier and redirect URI")
  func codes() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
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
    "an invalid authorization request gets an OAuth error",
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
      var client = try SignOnClient(bench)
      client.parameters[name] = value
      let refused = try await client.authorize()
      #expect(refused.status == 400)
      #expect(refused.body["error"]?.string == error)
    }
  }

  @Test("a foreign redirect URI gets a platform error")
  func badRedirect() async throws {
    try await Bench.run { bench in
      var client = try SignOnClient(bench)
      client.parameters["redirect_uri"] = "https://example.com/callback"
      let refused = try await client.authorize()
      #expect(refused.status == 400)
      #expect(refused.body["details"]?.array?.first?["target"] == "redirect_uri")
    }
  }

  @Test("a pushed request is valid once, for one minute")
  func pushedRequests() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
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

  @Test("a mobile payload gives a pairing offer until the device is paired")
  func pairingOffer() async throws {
    try await Bench.run { bench in
      var device = try await bench.trustedDevice()
      var client = try SignOnClient(bench)
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

  @Test("an invalid mobile payload is rejected")
  func badPayloads() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      var client = try SignOnClient(bench)
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
