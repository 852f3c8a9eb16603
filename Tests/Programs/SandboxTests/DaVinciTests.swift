import EventLoop
import JSON
import Sandbox
import TestHTTP
import Testing
import WebAddress

@Suite("DaVinci flows", .timeLimit(.minutes(30)))
struct DaVinciTests {
  @Test("a flow starts with a form, its links and interaction cookies")
  func form() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "sign-on-with-registration")
      client.parameters["login_hint"] = "ann"
      let first = try await client.start()
      #expect(first.status == 200)
      #expect(first.body["eventName"] == "continue")
      #expect(first.body["form"]?["category"] == "CUSTOM_FORM")
      #expect(first.body["capabilityName"] == "customForm")
      #expect(first.body["formData"]?["value"]?["user.username"] == "ann")
      let next = try #require(first.body["_links"]?["next"]?["href"]?.string)
      let connection = try #require(first.body["connectionId"]?.string)
      #expect(connection.utf8.count == 32)
      let base = "\(bench.url)/\(bench.environment)/davinci/connections/\(connection)"
      #expect(next == "\(base)/capabilities/customForm")
      #expect(first.body["_links"]?["self"]?["href"]?.string?.hasPrefix(base) == true)
      #expect(client.cookies["interactionId"] == first.body["interactionId"]?.string)
      #expect(client.cookies["interactionToken"] == first.body["interactionToken"]?.string)
      #expect(client.cookies["skProxyApiEnvironmentId"] == bench.environment)
    }
  }

  @Test("valid credentials give a code, tokens and a session, and wrong ones keep the page")
  func signOn() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "sign-on-with-registration")
      try await client.start()
      let id = client.page["id"]
      let wrong = try await client.next(["user.username": "ann", "user.password": "wrong"])
      #expect(wrong.status == 400)
      #expect(wrong.body["message"] == " Invalid username and/or password")
      #expect(wrong.body["connectorId"] == "pingOneSSOConnector")
      #expect(wrong.body["id"] == id)
      let password = try bench.user("ann").password
      let done = try await client.next(["user.username": "ann", "user.password": .string(password)])
      #expect(done.status == 200)
      #expect(done.body["status"] == "COMPLETED")
      #expect(client.cookies["ST"] == client.cookies["ST-NO-SS"])
      #expect(client.cookies["ST"] != nil)
      let claims = try await client.claims(done)
      #expect(claims["sub"]?.string == (try bench.user("ann").id))
      #expect(claims["acr"] == "sign-on-with-registration")
      #expect(claims["nonce"] == "n1")
      let again = try await client.start()
      #expect(again.body["status"] == "COMPLETED")
      client.parameters["prompt"] = "login"
      let forced = try await client.start()
      #expect(forced.body["eventName"] == "continue")
      client.cookies = [:]
      client.parameters["prompt"] = "none"
      let silent = try await client.start()
      #expect(silent.body["status"] == "FAILED")
      #expect(silent.body["error"]?["code"] == "login_required")
    }
  }

  @Test(
    "a registration reports attribute errors and sends its code by mail"
  )
  func registration() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "sign-on-with-registration")
      try await client.start()
      try await client.next(action: "register", event: "action")
      #expect(client.field("PASSWORD_VERIFY") != nil)
      #expect(client.page["passwordPolicy"]?["length"]?["min"] == 8)
      var values: JSONObject = [
        "user.username": "ann", "user.email": "eve@example.com", "user.password": "short",
        "user.name.given": "Eve",
      ]
      @EventLoop func refused() async throws -> JSON {
        let answer = try await client.next(values)
        #expect(answer.status == 400)
        #expect(answer.body["code"] == "invalidValue")
        let raw = try #require(answer.body["details"]?.array?.first?["rawResponse"])
        #expect(raw["code"] == "INVALID_DATA")
        return try #require(raw["details"]?.array?.first)
      }
      let taken = try await refused()
      #expect(taken["target"] == "username")
      #expect(taken["code"] == "UNIQUENESS_VIOLATION")
      values["user.username"] = "eve"
      let short = try await refused()
      #expect(short["target"] == "password")
      #expect(short["innerError"]?["unsatisfiedRequirements"] == ["length"])
      values["user.password"] = "longenough"
      let plain = try await refused()
      #expect(plain["innerError"]?["unsatisfiedRequirements"] == ["minCharacters"])
      values["user.password"] = "Long3nough"
      try await client.next(values)
      #expect(client.field("LABEL")?["content"] == "We sent a verification code to eve@example.com")
      let bad = try await client.next(["otp": "x"])
      #expect(bad.status == 400)
      let mail = try await client.mail()
      #expect(mail["to"] == "eve@example.com")
      let done = try await client.next(["otp": mail["code"] ?? ""])
      let claims = try await client.claims(done)
      #expect(claims["preferred_username"] == "eve")
      #expect(claims["given_name"] == "Eve")
    }
  }

  @Test("a forgotten password is replaced with a code")
  func recovery() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "sign-on-with-registration")
      try await client.start()
      try await client.next(action: "forgot", event: "action")
      try await client.next(["user.username": "bob"])
      let code = try #require(try await client.mail()["code"])
      try await client.next(["recoveryCode": code, "user.password": "another"])
      let done = try await client.next(["user.username": "bob", "user.password": "another"])
      #expect(done.body["status"] == "COMPLETED")
    }
  }

  @Test("labels use the client's preferred language")
  func languages() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "sign-on-with-registration")
      for (wanted, title) in [
        ("de-AT, de;q=0.9", "Anmelden"), ("xx, fr;q=0.5, de;q=0.2", "Connexion"), ("xx", "Sign On"),
      ] {
        client.headers = [("x-requested-with", "ping-sdk"), ("Accept-Language", wanted)]
        let page = try await client.start()
        #expect(page.body["form"]?["name"]?.string == title)
      }
    }
  }

  @Test("a browser gets a page, and a foreign interaction or an old page is rejected")
  func strangers() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "sign-on-with-registration")
      try await client.start()
      let stale = try await client.next(id: "other")
      #expect(stale.status == 400)
      let cookies = client.cookies
      client.cookies["interactionToken"] = "x"
      let stranger = try await client.next()
      #expect(stranger.status == 401)
      #expect(stranger.body["code"] == 1999)
      client.cookies = [:]
      let id = try #require(cookies["interactionId"]), token = try #require(cookies["interactionToken"])
      let sdk = client.headers
      client.headers += [("interactionId", id), ("interactionToken", token)]
      let byHeaders = try await client.next()
      #expect(byHeaders.status == 400)
      client.headers = []
      let query = FormEncoding.encode(client.parameters.map { ($0.key, $0.value) })
      let page = try await client.send("GET", "/\(bench.environment)/as/authorize?\(query)")
      #expect(page.header("content-type")?.hasPrefix("text/html") == true)
      client.headers = sdk
      client.cookies = cookies
      try await bench.advance(seconds: 901)
      let late = try await client.next()
      #expect(late.status == 400)
      #expect(late.body["code"] == "requestTimedOut")
    }
  }
}
