import EventLoop
import JSON
import Testing

@Suite("sign-on policies", .timeLimit(.minutes(30)))
struct SignOnPolicyTests {
  @Test("the steps of a policy follow in order, and its name is in the ID token")
  func steps() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["LOGIN", "PROFILE", "AGREEMENT", "CONSENT"])
      #expect(flow.status == "USERNAME_PASSWORD_REQUIRED")
      let early = try await flow.act("user.consent", ["accept": true])
      #expect(early.code == "INVALID_REQUEST")
      try await flow.checkPassword()
      #expect(flow.status == "PROFILE_DATA_REQUIRED")
      #expect(flow.embedded?["attributes"]?.array?.first == ["name": "email", "required": true])
      #expect(flow.embedded?["user"]?["username"] == "ann")
      let bad = try await flow.act("user.update", ["email": "nowhere"])
      #expect(bad.detail == "INVALID_VALUE")
      try await flow.act("user.update", ["email": "a@b.example", "name": ["given": "Anna"]])
      #expect(flow.status == "AGREEMENT_CONSENT_REQUIRED")
      #expect(flow.embedded?["agreement"]?["text"] != nil)
      let missing = try await flow.act("user.consent")
      #expect(missing.detail == "REQUIRED_VALUE")
      try await flow.act("user.consent", ["accept": true])
      #expect(flow.status == "CONSENT_REQUIRED")
      try await flow.act("user.consent", ["accept": true])
      let claims = try await flow.claims()
      #expect(claims["acr"] == "Test")
      #expect(claims["given_name"] == "Anna")
      #expect(claims["amr"] == ["pwd"])
    }
  }

  @Test("a refused consent fails the sign-on")
  func refusal() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["LOGIN", "CONSENT"])
      try await flow.checkPassword()
      try await flow.act("user.consent", ["accept": false])
      #expect(flow.status == "FAILED")
      #expect(flow.answer.body["error"]?["code"] == "CONSENT_REFUSED")
      let again = try await flow.act("user.consent", ["accept": true])
      #expect(again.code == "INVALID_REQUEST")
      let resumed = try await flow.client.resume(flow.answer, cookie: flow.cookie)
      #expect(resumed.status == 400)
    }
  }

  @Test("the user name can be requested first")
  func identifierFirst() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["IDENTIFIER_FIRST"])
      #expect(flow.status == "SIGN_ON_REQUIRED")
      let unknown = try await flow.act("user.lookup", ["username": "nobody"])
      #expect(unknown.status == 400)
      try await flow.act("user.lookup", ["username": "ANN"])
      #expect(flow.status == "PASSWORD_REQUIRED")
      let password = JSON.string(try bench.user("ann").password)
      let other = try await flow.act("usernamePassword.check", ["username": "bob", "password": password])
      #expect(other.status == 400)
      let wrong = try await flow.act("usernamePassword.check", ["password": "wrong"])
      #expect(wrong.status == 400)
      try await flow.act("usernamePassword.check", ["password": password])
      #expect(flow.status == "COMPLETED")
    }
  }

  @Test("a request names its policy, and otherwise the default one is used")
  func choice() async throws {
    try await Bench.run { bench in
      let client = try SignOnClient(bench)
      let unknown = try await client.send("GET", "/as/authorize")
      #expect(unknown.status == 400)
      let set = try await bench.send(
        "PUT",
        "/sandbox/signOnPolicies/First",
        ["steps": ["IDENTIFIER_FIRST"], "default": true]
      )
      #expect(set.body["default"]?.bool == true)
      let standard = try await PolicyClient(client, acr: nil)
      #expect(standard.status == "SIGN_ON_REQUIRED")
      let named = try await PolicyClient(client, acr: "Nothing Single_Factor First")
      #expect(named.status == "USERNAME_PASSWORD_REQUIRED")
      var odd = client
      odd.parameters["acr_values"] = "Nothing"
      let refused = try await odd.authorize()
      #expect(refused.body["error"] == "invalid_request")
      let all = try await bench.send("GET", "/sandbox/signOnPolicies")
      #expect(all.body["policies"]?.array?.count == 3)
    }
  }

  @Test(
    "an invalid policy is rejected",
    arguments: [["steps": []], ["steps": ["MFA"]], ["steps": ["LOGIN", "OTHER"]], ["steps": "LOGIN"]]
      as [JSON]
  )
  func badPolicies(_ body: JSON) async throws {
    try await Bench.run { bench in
      let refused = try await bench.send("PUT", "/sandbox/signOnPolicies/Test", body)
      #expect(refused.status == 400)
    }
  }

  @Test("a session replaces only the steps that it covers")
  func sessions() async throws {
    try await Bench.run { bench in
      var first = try await PolicyClient(bench, ["LOGIN", "CONSENT"])
      try await first.checkPassword()
      try await first.act("user.consent", ["accept": true])
      let session = first.answer.body["session"]?["id"]
      var second = try await PolicyClient(first.client, acr: "Test", cookie: first.cookie)
      #expect(second.status == "CONSENT_REQUIRED")
      try await second.act("user.consent", ["accept": true])
      #expect(second.answer.body["session"]?["id"] == session)
      #expect(try await second.claims()["sub"]?.string == (try bench.user("ann").id))
      var anew = first.client
      anew.parameters["prompt"] = "login"
      let third = try await PolicyClient(anew, acr: "Test", cookie: first.cookie)
      #expect(third.status == "USERNAME_PASSWORD_REQUIRED")
    }
  }

  @Test("a sign-off ends a running flow")
  func signOffBetween() async throws {
    try await Bench.run { bench in
      var first = try await PolicyClient(bench, ["LOGIN", "CONSENT"])
      try await first.checkPassword()
      try await first.act("user.consent", ["accept": true])
      var second = try await PolicyClient(first.client, acr: "Test", cookie: first.cookie)
      #expect(second.status == "CONSENT_REQUIRED")
      let off = try await first.client.send("GET", "/as/signoff", cookie: first.cookie)
      #expect(off.status == 200)
      let refused = try await second.act("user.consent", ["accept": true])
      #expect(refused.code == "INVALID_REQUEST")
      try await second.read()
      #expect(second.answer.body["error"]?["code"] == "SESSION_ENDED")
      let third = try await PolicyClient(first.client, acr: "Test", cookie: first.cookie)
      #expect(third.status == "USERNAME_PASSWORD_REQUIRED")
    }
  }

  @Test("a flow with an external provider continues after the sign-on there")
  func external() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["EXTERNAL"])
      #expect(flow.status == "EXTERNAL_AUTHENTICATION_REQUIRED")
      let href = try #require(flow.answer.body["_links"]?["authenticate"]?["href"]?.string)
      let path = String(href.dropFirst("\(bench.url)/\(bench.environment)".count))
      let page = try await flow.client.send("GET", path)
      #expect(page.text.contains(#"name="password""#))
      let id = try flow.answer.text("id")
      var form = ["flowId": id, "username": "ann", "password": "wrong"]
      let wrong = try await flow.client.form("/rp/authenticate", form)
      #expect(wrong.text.contains("wrong"))
      try await flow.read()
      #expect(flow.status == "EXTERNAL_AUTHENTICATION_REQUIRED")
      form["password"] = try bench.user("ann").password
      _ = try await flow.client.form("/rp/authenticate", form)
      try await flow.read()
      #expect(try await flow.claims()["amr"] == ["fed"])
      let over = try await flow.client.send("GET", path)
      #expect(over.status == 404)
    }
  }

  @Test("a flow expires after fifteen minutes of inactivity")
  func inactivity() async throws {
    try await Bench.run { bench in
      var flow = try await PolicyClient(bench, ["LOGIN"])
      for _ in 0..<2 {
        try await bench.advance(seconds: 600)
        try await flow.read()
      }
      try await bench.advance(seconds: 900)
      let path = "/flows/\(try flow.answer.text("id"))"
      let gone = try await flow.client.send("GET", path, cookie: flow.cookie)
      #expect(gone.status == 404)
    }
  }
}
