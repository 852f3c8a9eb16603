import EventLoop
import JSON
import Testing

/// A user that signs on for a client with a browser.
@EventLoop
private struct Browser {
  var client: SignOnClient

  init(_ bench: Bench) throws {
    client = try SignOnClient(bench)
    client.parameters["response_mode"] = "query"
  }

  func submit(_ page: Answer, _ fields: [String: String], cookie: String? = nil) async throws -> Answer {
    let id = try #require(page.text.firstMatch(of: /name="flowId" value="([^"]+)"/)?.1)
    return try await client.form(
      "/as/signon",
      fields.merging(["flowId": String(id)]) { $1 },
      cookie: try cookie ?? client.cookie(page)
    )
  }
}

@Suite("sign-on by browser", .timeLimit(.minutes(30)))
struct BrowserSignOnTests {
  @Test("a page requests user name and password and redirects with a code")
  func signOn() async throws {
    try await Bench.run { bench in
      var browser = try Browser(bench)
      for mode in ["query", nil] {
        browser.client.parameters["response_mode"] = mode
        browser.client.parameters["login_hint"] = "\"><b>ann"
        let page = try await browser.client.authorize()
        #expect(page.status == 200)
        #expect(page.header("content-type")?.hasPrefix("text/html") == true)
        #expect(!page.text.contains("<script") && !page.text.contains("<b>"))
        let wrong = try await browser.submit(page, ["username": "ann", "password": "wrong"])
        #expect(wrong.status == 200)
        #expect(wrong.text.contains("did not match"))
        let password = try bench.user("ann").password
        let stranger = try await browser.submit(
          page,
          ["username": "ann", "password": password],
          cookie: "x"
        )
        #expect(stranger.status == 403)
        let done = try await browser.submit(wrong, ["username": "ann", "password": password])
        let answer = try done.redirect()
        #expect(answer["state"] == "s1")
        #expect(answer["iss"] == bench.issuer)
        let tokens = try await browser.client.tokens(try #require(answer["code"]))
        #expect(tokens.status == 200)
        let again = try await browser.submit(page, ["username": "ann", "password": password])
        #expect(again.status == 404)
      }
    }
  }

  @Test("a user with a session is not asked again, unless the client requires it")
  func session() async throws {
    try await Bench.run { bench in
      var browser = try Browser(bench)
      let page = try await browser.client.authorize()
      let password = try bench.user("ann").password
      let done = try await browser.submit(page, ["username": "ann", "password": password])
      let cookie = try browser.client.cookie(done)
      for prompt in [nil, "none"] {
        browser.client.parameters["prompt"] = prompt
        let silent = try await browser.client.authorize(cookie: cookie)
        #expect(try silent.redirect()["code"] != nil)
      }
      browser.client.parameters["prompt"] = "login"
      let asked = try await browser.client.authorize(cookie: cookie)
      #expect(asked.status == 200)
      browser.client.parameters["prompt"] = "none"
      let refused = try await browser.client.authorize()
      #expect(try refused.redirect()["error"] == "login_required")
      browser.client.parameters["prompt"] = nil
      browser.client.parameters["response_mode"] = "pi.flow"
      let flow = try await browser.client.authorize(cookie: cookie)
      #expect(flow.body["status"] == "COMPLETED")
      let resumed = try await browser.client.resume(flow, cookie: try browser.client.cookie(flow))
      #expect(resumed.body["authorizeResponse"]?["code"] != nil)
      try await bench.advance(seconds: 30 * 24 * 3600)
      let over = try await browser.client.authorize(cookie: cookie)
      #expect(over.body["status"] == "USERNAME_PASSWORD_REQUIRED")
    }
  }

  @Test(
    "errors are sent to the client if its redirect URI is known",
    arguments: [
      ("scope", "profile", "invalid_scope"), ("response_type", "token", "unsupported_response_type"),
      ("code_challenge_method", "plain", "invalid_request"), ("mobilePayload", "x", "invalid_request"),
    ]
  )
  func errors(_ name: String, _ value: String, _ error: String) async throws {
    try await Bench.run { bench in
      var browser = try Browser(bench)
      browser.client.parameters[name] = value
      let refused = try await browser.client.authorize()
      let answer = try refused.redirect()
      #expect(answer["error"] == error)
      #expect(answer["error_description"] != nil)
      #expect(answer["state"] == "s1")
      #expect(answer["iss"] == bench.issuer)
    }
  }

  @Test("a browser can play all steps of a policy")
  func policy() async throws {
    try await Bench.run { bench in
      let device = try await bench.pairedDevice("ann")
      let second = try await bench.pairedDevice("ann")
      let always: JSON = ["authentication": ["deviceSelection": "ALWAYS_DISPLAY_DEVICES"]]
      try await bench.setPolicy(always)
      let steps: JSON = ["steps": ["IDENTIFIER_FIRST", "MFA", "PROFILE", "AGREEMENT"], "default": true]
      _ = try await bench.send("PUT", "/sandbox/signOnPolicies/All", steps)
      try await bench.setUser("ann", ["passwordStatus": "MUST_CHANGE_PASSWORD", "verified": false])
      let password = try bench.user("ann").password
      let browser = try Browser(bench)
      var page = try await browser.client.authorize()
      page = try await browser.submit(page, ["username": "ann"])
      page = try await browser.submit(page, ["password": password])
      #expect(page.text.contains(#"name="currentPassword""#))
      page = try await browser.submit(page, ["currentPassword": password, "newPassword": "long enough"])
      let code = try #require(try await bench.codes("VERIFICATION_CODE", of: "ann").last)
      page = try await browser.submit(page, ["verificationCode": code])
      #expect(page.text.contains(#"value="\#(second.pairings[0].id)""#))
      page = try await browser.submit(page, ["device": device.pairings[0].id])
      page = try await browser.submit(page, [:])
      #expect(page.text.contains("Approve the request"))
      let push = try #require(try await device.poll().pushes.first)
      _ = try await device.answer(push, "approve")
      page = try await browser.submit(page, [:])
      page = try await browser.submit(page, ["email": "nowhere"])
      #expect(page.text.contains("must be an address"))
      page = try await browser.submit(page, ["email": "ann@home.example"])
      let odd = try await browser.submit(page, ["action": "otp.check", "otp": "123456"])
      #expect(odd.text.contains("not possible now"))
      page = try await browser.submit(page, ["accept": "true"])
      #expect(try page.redirect()["code"] != nil)
    }
  }

  @Test("a failed sign-on redirects with access_denied")
  func failure() async throws {
    try await Bench.run { bench in
      var browser = try Browser(bench)
      browser.client.parameters["acr_values"] = "Multi_Factor"
      let page = try await browser.client.authorize()
      let password = try bench.user("bob").password
      let failed = try await browser.submit(page, ["username": "bob", "password": password])
      #expect(try failed.redirect()["error"] == "access_denied")
      browser.client.parameters["acr_values"] = "Nothing"
      let unknown = try await browser.client.authorize()
      #expect(try unknown.redirect()["error"] == "invalid_request")
    }
  }

  @Test("a pushed request also works in a browser")
  func pushed() async throws {
    try await Bench.run { bench in
      let browser = try Browser(bench)
      let pushed = try await browser.client.form("/as/par", browser.client.parameters)
      let reference = ["client_id": bench.clientID, "request_uri": try pushed.text("request_uri")]
      let page = try await browser.client.form("/as/authorize", reference)
      let password = try bench.user("ann").password
      let done = try await browser.submit(page, ["username": "ann", "password": password])
      #expect(try done.redirect()["code"] != nil)
      let again = try await browser.client.form("/as/authorize", reference)
      #expect(again.status == 400)
    }
  }

  @Test("an unknown client or redirect URI gets an error page without a redirect")
  func untrusted() async throws {
    try await Bench.run { bench in
      for (name, value) in [("client_id", "x"), ("redirect_uri", "https://example.com/callback")] {
        var browser = try Browser(bench)
        browser.client.parameters[name] = value
        browser.client.parameters["scope"] = "profile"
        let refused = try await browser.client.authorize()
        #expect(refused.status == 400)
        #expect(refused.header("location") == nil)
      }
    }
  }

  @Test("a cancelled sign-on redirects with access_denied")
  func cancel() async throws {
    try await Bench.run { bench in
      let browser = try Browser(bench)
      let page = try await browser.client.authorize()
      let cancelled = try await browser.submit(page, ["decision": "cancel"])
      #expect(try cancelled.redirect()["error"] == "access_denied")
    }
  }

  @Test("a registered loopback URI matches any port, but not another path")
  func registeredRedirects() async throws {
    try await Bench.run { bench in
      let addresses: JSON = ["http://127.0.0.1/callback", "https://example.com/callback"]
      let set = try await bench.patch(["application": ["redirectUris": addresses]])
      #expect(set.body["application"]?["redirectUris"] == addresses)
      var browser = try Browser(bench)
      for (address, status) in [
        ("http://127.0.0.1:7777/callback", 200), ("https://example.com/callback", 200),
        ("http://127.0.0.1:7777/other", 400), ("http://localhost:7777/callback", 400),
        ("https://127.0.0.1:7777/callback", 400), ("https://example.com:444/callback", 400),
      ] {
        browser.client.parameters["redirect_uri"] = address
        let answer = try await browser.client.authorize()
        #expect(answer.status == status, "\(address)")
      }
    }
  }
}
