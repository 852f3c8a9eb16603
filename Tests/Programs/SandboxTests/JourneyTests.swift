import EventLoop
import JOSE
import JSON
import Testing
import WebAddress

@Suite("journeys", .timeLimit(.minutes(30)))
struct JourneyTests {
  @Test("a journey through every core callback ends with a session")
  func core() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try await JourneyClient(bench)
      let first = try await client.start("journey-core")
      #expect(first.status == 200)
      #expect(first.body["stage"] == "UsernamePassword")
      #expect(first.body["callbacks"]?.array?.first?["input"]?.array?.first?["name"] == "IDToken1")
      let password = try bench.user("ann").password
      try await client.next(["IDToken1": "ann", "IDToken2": .string(password)])
      #expect(client.step["pageFooter"] == "Kept as it is")
      let types = client.step["callbacks"]?.array?.compactMap { $0["type"]?.string } ?? []
      #expect(types.count == 12)
      try await client.next(["IDToken8": true])
      let failed = try #require(client.output(5, "failedPolicies")?.array?.first?.string)
      #expect(try JSON(parsing: failed) == ["policyRequirement": "REQUIRED"])
      try await client.next(["IDToken6": "Bern", "IDToken8": true, "IDToken3": 2])
      #expect(client.output(0, "message") == "Welcome Annie, your choice is 2")
      let done = try await client.next(["IDToken2": 0])
      #expect(done.body["successUrl"] == "/am/console")
      #expect(done.body["realm"] == "/alpha")
      let cookies = done.headers.filter { $0.name == "set-cookie" }.map(\.value)
      #expect(cookies.contains { $0.hasPrefix("\(client.cookie)=\(client.session ?? "?");") })
      let again = try await client.start("journey-core")
      #expect(again.body["tokenId"]?.string == client.session)
      let forced = try await client.start("journey-core", "&ForceAuth=true")
      #expect(forced.body["authId"] != nil)
    }
  }

  @Test("callbacks must be returned completely, in order and once, except scripts")
  func strictness() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try await JourneyClient(bench)
      try await client.start("journey-core")
      let first = client.step
      var short = first.object ?? [:]
      let callbacks = try #require(first["callbacks"]?.array)
      short["callbacks"] = .array([callbacks[0]])
      let number = try await client.post(.object(short))
      #expect(number.status == 400)
      #expect(number.body["message"] == "Incorrect number of callbacks found in JSON response")
      short["callbacks"] = .array(callbacks.reversed())
      let order = try await client.post(.object(short))
      #expect(order.body["message"] == "Required callback not found")
      let password = try bench.user("ann").password
      try await client.next(["IDToken1": "ann", "IDToken2": .string(password)])
      let old = try await client.post(first)
      #expect(old.status == 401)
      var filled = client.filled(["IDToken6": "Bern", "IDToken8": true]).object ?? [:]
      filled["callbacks"] = .array((filled["callbacks"]?.array ?? []).dropLast())
      let next = try await client.post(.object(filled))
      #expect(next.status == 200)
      #expect(client.output(1, "options") == ["Submit", "Start Over"])
    }
  }

  @Test("a wrong password, an expired step and an unknown journey fail")
  func failures() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try await JourneyClient(bench)
      try await client.start("journey-core")
      let failed = try await client.next(["IDToken1": "ann", "IDToken2": "wrong"])
      #expect(failed.status == 401)
      #expect(failed.body["message"] == "Login failure")
      #expect(failed.body["reason"] == "Unauthorized")
      #expect(failed.body["detail"]?["failureUrl"] != nil)
      let spent = try await client.next(["IDToken1": "ann", "IDToken2": "wrong"])
      #expect(spent.status == 401)
      try await client.start("journey-core")
      try await bench.advance(seconds: 901)
      let late = try await client.next(["IDToken1": "ann", "IDToken2": "wrong"])
      #expect(late.body["detail"]?["errorCode"] == "110")
      let none = try await client.start("nonsense")
      #expect(none.status == 400)
      let realm = try await client.send("POST", "/am/json/realms/root/realms/nowhere/authenticate", [:])
      #expect(realm.status == 404)
    }
  }

  @Test("failed policies of a registration are reported on the same page")
  func registration() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try await JourneyClient(bench)
      try await client.start("journey-registration", "&noSession=true")
      client.query = "?noSession=true"
      var values: JSONObject = [
        "IDToken1": "ann", "IDToken2": "short", "IDToken3": "eve@example.com", "IDToken4": true,
      ]
      @EventLoop func failed(_ index: Int) async throws -> [JSON?] {
        try await client.next(values)
        let policies = client.output(index, "failedPolicies")?.array ?? []
        return try policies.map { policy in
          try JSON(parsing: try #require(policy.string))["policyRequirement"]
        }
      }
      #expect(try await failed(0) == ["UNIQUE"])
      values["IDToken1"] = "eve"
      #expect(try await failed(1) == ["MIN_LENGTH", "AT_LEAST_X_NUMBERS"])
      values["IDToken2"] = "longenough1"
      values["IDToken3"] = "nobody"
      #expect(try await failed(2) == ["VALID_EMAIL_ADDRESS_FORMAT"])
      #expect(client.output(1, "failedPolicies") == [])
      values["IDToken3"] = "eve@example.com"
      let done = try await client.next(values)
      #expect(done.status == 200)
      #expect(done.body["tokenId"] == nil)
      #expect(done.body["successUrl"] != nil)
      try await client.start("journey-core")
      try await client.next(["IDToken1": "eve", "IDToken2": "longenough1"])
      #expect(client.step["header"] == "A few questions")
    }
  }

  @Test("a suspended journey is resumed once with the id from the mail")
  func suspension() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try await JourneyClient(bench)
      try await client.start("journey-suspended")
      try await client.next(["IDToken1": "bob"])
      #expect(client.step["callbacks"]?.array?.first?["type"] == "SuspendedTextOutputCallback")
      let mails = try await bench.send("GET", "/sandbox/messages")
      let mail = try #require(mails.body["messages"]?.array?.last)
      let id = try #require(mail["suspendedId"]?.string)
      #expect(mail["to"] == "bob@example.com")
      #expect(mail["link"]?.string?.hasSuffix("?suspendedId=\(id)") == true)
      let resumed = try await client.resume(id)
      #expect(resumed.status == 200)
      #expect(client.output(0, "message") == "Welcome back, bob")
      let again = try await client.resume(id)
      #expect(again.status == 401)
      #expect(again.body["message"]?.string?.contains("SuspendedAuthSessionException") == true)
      let done = try await client.next()
      #expect(done.body["tokenId"] != nil)
    }
  }

  @Test("a polling journey continues after its rounds or after the device's answer")
  func polling() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try await JourneyClient(bench)
      @EventLoop func signOn() async throws {
        try await client.start("journey-polling", "&ForceAuth=true")
        let password = try bench.user("ann").password
        try await client.next(["IDToken1": "ann", "IDToken2": .string(password)])
      }
      try await signOn()
      try await client.next(["IDToken1": 2])
      #expect(client.output(0, "waitTime") == "200")
      for _ in 0..<2 { try await client.next() }
      let done = try await client.next()
      #expect(done.body["tokenId"] != nil)

      let device = try await bench.pairedDevice("ann")
      for (decision, isSuccess) in [("approve", true), ("deny", false)] {
        try await signOn()
        try await client.next()
        #expect(client.output(0, "message") == "Waiting for approval…")
        let waiting = try await client.next()
        #expect(waiting.body["authId"] != nil)
        let pushes = try await device.poll().pushes
        let push = try #require(pushes.last { $0["type"] == "authentication" })
        let answered = try await device.answer(push, decision, ["authenticationMethod": "user"])
        #expect(answered.status == 200)
        let end = try await client.next()
        #expect((end.body["tokenId"] != nil) == isSuccess)
      }
    }
  }

  @Test("the realm's provider exchanges a session for a code and the code for tokens")
  func provider() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try await JourneyClient(bench)
      let known = try await client.send("GET", "\(JourneyClient.provider)/.well-known/openid-configuration")
      let issuer = try #require(known.body["issuer"]?.string)
      #expect(issuer == "\(bench.url)\(JourneyClient.provider)")
      #expect(known.body["token_endpoint"]?.string == "\(issuer)/access_token")
      #expect(known.body["jwks_uri"]?.string == "\(issuer)/connect/jwk_uri")
      let page = try await client.authorize()
      #expect(page.status == 200)
      try await client.start("journey-polling")
      try await client.next(["IDToken1": "ann", "IDToken2": .string(try bench.user("ann").password)])
      try await client.next(["IDToken1": 2])
      for _ in 0..<3 { try await client.next() }
      let redirect = try await client.authorize().redirect()
      #expect(redirect["iss"] == issuer)
      #expect(redirect["state"] == "s1")
      #expect(redirect["client_id"] == bench.clientID)
      let code = try #require(redirect["code"])
      let elsewhere = try await client.tokens(code, at: "/\(bench.environment)/as/token")
      #expect(elsewhere.body["error"] == "invalid_grant")
      let tokens = try await client.tokens(code)
      #expect(tokens.status == 200)
      let keys = try JWKSet(try await client.send("GET", "\(JourneyClient.provider)/connect/jwk_uri").body)
      let token = try CompactJWS(parsing: try tokens.text("id_token"))
      let claims = try token.verified(with: keys, allowing: [.rs256]).claims()
      #expect(claims["iss"]?.string == issuer)
      #expect(claims["sub"] == "(usr!ann)")
      #expect(claims["nonce"] == "n1")
      let access = try tokens.text("access_token")
      let info = try await client.send("GET", "\(JourneyClient.provider)/userinfo", bearer: access)
      #expect(info.body["sub"] == "(usr!ann)")
      let stranger = try await client.send("GET", "/\(bench.environment)/as/userinfo", bearer: access)
      #expect(stranger.status == 401)
      let form = [("client_id", bench.clientID), ("token", access)]
      let revoked = try await client.send("POST", "\(JourneyClient.provider)/token/revoke", form: form)
      #expect(revoked.status == 200)
      let over = try await client.send("GET", "\(JourneyClient.provider)/userinfo", bearer: access)
      #expect(over.status == 401)
      let logout = "\(JourneyClient.base)/sessions?_action=logout"
      let out = try await client.send("POST", logout, [:])
      #expect(out.body["result"] == "Successfully logged out")
      let gone = try await client.send("POST", logout, [:])
      #expect(gone.status == 401)
    }
  }

  @Test("pushed requests and sessions are valid only in their realm")
  func realms() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try await JourneyClient(bench)
      try await client.start("journey-suspended")
      try await client.next(["IDToken1": "bob"])
      let mails = try await bench.send("GET", "/sandbox/messages")
      let id = try #require(mails.body["messages"]?.array?.last?["suspendedId"]?.string)
      _ = try await client.resume(id)
      try await client.next()
      #expect(client.session != nil)
      @EventLoop func reference(at path: String) async throws -> String {
        let pushed = try await client.send("POST", path, form: try client.request())
        #expect(pushed.status == 201)
        let uri = try #require(pushed.body["request_uri"]?.string)
        return FormEncoding.encode([("client_id", bench.clientID), ("request_uri", uri)])
      }
      let own = try await reference(at: "\(JourneyClient.provider)/par")
      let answer = try await client.send("GET", "\(JourneyClient.provider)/authorize?\(own)")
      #expect(try answer.redirect()["code"] != nil)
      let others = try await reference(at: "/\(bench.environment)/as/par")
      let refused = try await client.send("GET", "\(JourneyClient.provider)/authorize?\(others)")
      #expect(refused.body["error"] == "invalid_request")
      let bravo = "/am/oauth2/realms/root/realms/bravo/authorize?"
      let page = try await client.send("GET", bravo + FormEncoding.encode(try client.request()))
      #expect(page.status == 200)
      let silent = try await client.send(
        "GET",
        bravo + FormEncoding.encode(try client.request() + [("prompt", "none")])
      )
      #expect(try silent.redirect()["error"] == "login_required")
    }
  }
}
