import EventLoop
import JSON
import TestHTTP
import Testing
import WebAddress

@Suite("DaVinci fields", .timeLimit(.minutes(30)))
struct DaVinciFieldTests {
  @EventLoop
  private static func signOn(_ client: FlowClient, _ bench: Bench) async throws {
    try await client.start()
    let password = try bench.user("ann").password
    try await client.next(["user.username": "ann", "user.password": .string(password)])
  }

  @Test("an approved push ends the polling, and a denied one the flow")
  func push() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await bench.pairedDevice("ann")
      for (decision, status) in [("approve", "approved"), ("deny", "denied")] {
        let client = try FlowClient(bench, "mfa")
        try await Self.signOn(client, bench)
        let option = try #require(client.field("device")?["options"]?.array?.first)
        #expect(option["type"] == "MOBILE")
        let none = try await client.next()
        #expect(none.status == 400)
        let chosen: JSON = [
          "type": "MOBILE", "id": option["id"] ?? "", "description": option["description"] ?? "",
        ]
        try await client.next(["device": chosen])
        let challenge = try #require(client.field("polling")?["challenge"]?.string)
        let own = try #require(client.page["_links"]?["self"]?["href"]?.string)
        let end = try #require(own.firstRange(of: "/davinci/connections")).lowerBound
        let poll = "\(own[..<end])/davinci/user/credentials/challenge/\(challenge)/status"
        let waiting = try await client.post(poll)
        #expect(waiting.body == ["isChallengeComplete": false])
        let pushes = try await device.poll().pushes
        let push = try #require(pushes.last { $0["type"] == "authentication" })
        let answered = try await device.answer(push, decision, ["authenticationMethod": "user"])
        #expect(answered.status == 200)
        let complete = try await client.post(poll)
        #expect(complete.body == ["isChallengeComplete": true, "status": .string(status)])
        let done = try await client.next(["polling": .string(status)], action: "", event: "polling")
        if decision == "approve" {
          let claims = try await client.claims(done)
          #expect(claims["amr"] == ["pwd", "mfa", "swk"])
        } else {
          #expect(done.body["status"] == "FAILED")
          #expect(done.body["error"]?["code"] == "PUSH_DENIED")
        }
      }
    }
  }

  @Test("an unanswered push expires, and a passcode can replace it")
  func passcode() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await bench.pairedDevice("ann")
      let client = try FlowClient(bench, "mfa")
      try await Self.signOn(client, bench)
      let id = client.field("device")?["options"]?.array?.first?["id"] ?? ""
      try await client.next(["device": ["type": "MOBILE", "id": id]])
      let challenge = try #require(client.field("polling")?["challenge"]?.string)
      let poll = "/\(bench.environment)/davinci/user/credentials/challenge/\(challenge)/status"
      try await bench.advance(seconds: 100)
      let expired = try await client.post(poll)
      #expect(expired.status == 400)
      #expect(expired.body["serviceName"] == "challengeExpired")
      let other = try await client.post("/\(bench.environment)/davinci/user/credentials/challenge/x/status")
      #expect(other.status == 404)
      try await client.next(["polling": "expired"], action: "", event: "polling")
      #expect(client.field("device") != nil)
      try await client.next(action: "passcode", event: "action")
      let wrong = try await client.next(["otp": .string(try device.wrongPasscode())])
      #expect(wrong.status == 400)
      #expect(
        wrong.body["details"]?.array?.first?["rawResponse"]?["details"]?.array?.first?["target"] == "otp"
      )
      let code = try device.passcode(ofWindow: device.currentWindow(of: 30))
      let done = try await client.next(["otp": .string(code)])
      #expect(done.body["status"] == "COMPLETED")
    }
  }

  @Test("a device pairs with the page's key before the flow continues")
  func pairing() async throws {
    try await Bench.run(flow: nil) { bench in
      var device = try await bench.trustedDevice()
      let client = try FlowClient(bench, "mobile-pairing")
      try await Self.signOn(client, bench)
      let field = try #require(client.field("MOBILE_PAIRING"))
      let early = try await client.next(["mobilePairing": ["status": "CLAIMED"]], action: "", event: "action")
      #expect(early.status == 400)
      try await device.pair(try #require(field["pairingKey"]?.string))
      let done = try await client.next(["mobilePairing": ["status": "CLAIMED"]], action: "", event: "action")
      #expect(done.body["status"] == "COMPLETED")
      let refusing = try FlowClient(bench, "mobile-pairing")
      try await Self.signOn(refusing, bench)
      let error: JSON = ["error": ["code": "USER_CANCELLED", "message": "Not now"]]
      try await refusing.next(["mobilePairing": error], action: "", event: "action")
      #expect(refusing.field("LABEL")?["content"] == "The device was not paired: USER_CANCELLED")
      let without = try await refusing.next()
      #expect(without.body["status"] == "COMPLETED")
    }
  }

  @Test("every value arrives as it was sent")
  func values() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "all-collectors")
      try await client.start()
      #expect(client.page["formData"]?["value"]?["colour"] == "green")
      var values: JSONObject = [
        "user.username": "ann", "user.password": .string(try bench.user("ann").password), "colour": "red",
        "size": "large", "fruits": ["pear", "plum"], "days": [], "terms": false,
        "phone": ["countryCode": "GB", "phoneNumber": "7700900123", "extension": "42"],
      ]
      let refused = try await client.next(values)
      #expect(refused.status == 400)
      values["terms"] = true
      try await client.next(values)
      try await client.next(["newDevice": "EMAIL"])
      try await client.next(["chosenDevice": ["type": "SMS", "id": "d-1", "description": "******0123"]])
      #expect(client.field("HOLOGRAM") != nil)
      try await client.next(["protect": "signals"])
      try await client.next(action: "NotSupportedError", event: "action")
      #expect(client.page["capabilityName"] == "customHTMLTemplate")
      #expect(client.page["form"]?["category"] == "CUSTOM_HTML")
      try await client.next(["nickname": "Annie"], action: "SIGNON")
      let labels =
        client.page["form"]?["components"]?["fields"]?.array?.compactMap { $0["content"]?.string } ?? []
      for label in [
        "colour: red", "size: large", #"fruits: ["pear","plum"]"#, "days: []", "terms: true",
        #"phone: {"countryCode":"GB","phoneNumber":"7700900123","extension":"42"}"#, "newDevice: EMAIL",
        "protect: signals", "nickname: Annie", "set: red large",
      ] { #expect(labels.contains(label), "\(label)") }
      let done = try await client.next()
      #expect(done.body["status"] == "COMPLETED")
    }
  }

  @Test("an identity provider's button uses a browser and returns with a one-time token")
  func identityProvider() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "all-collectors")
      try await client.start()
      let password = try bench.user("ann").password
      try await client.next(["user.username": "ann", "user.password": .string(password), "terms": true])
      try await client.next(["newDevice": "EMAIL"])
      try await client.next(["chosenDevice": ["id": "d-1"]])
      let links = try #require(client.field("google")?["links"])
      let href = try #require(links["authenticate"]?["href"]?.string)
      let browser = try await client.send("GET", href)
      #expect(browser.status == 302)
      let location = try #require(browser.header("location"))
      #expect(location.hasPrefix("http://127.0.0.1:7777/callback?continueToken="))
      let token = String(try #require(location.split(separator: "=").last))
      let next = try #require(client.page["_links"]?["continue"]?["href"]?.string)
      let refused = try await client.post(next, [:], [("Authorization", "Bearer x")])
      #expect(refused.status == 401)
      try await client.post(next, [:], [("Authorization", "Bearer \(token)")])
      #expect(client.field("FIDO2") != nil)
      let again = try await client.post(next, [:], [("Authorization", "Bearer \(token)")])
      #expect(again.status == 401)
    }
  }

  @Test("polling ends as the page defines")
  func polling() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "polling")
      try await client.start()
      @EventLoop func poll() async throws -> Answer {
        let challenge = try #require(client.field("polling")?["challenge"]?.string)
        return try await client.post(
          "/\(bench.environment)/davinci/user/credentials/challenge/\(challenge)/status"
        )
      }
      try await client.next(action: "denied", event: "action")
      for complete in [false, true] {
        let status = try await poll()
        #expect(status.body["isChallengeComplete"] == .bool(complete))
      }
      try await client.next(["polling": "denied"], action: "", event: "polling")
      #expect(client.field("LABEL")?["content"] == "It ended as denied")
      try await client.next()
      try await client.next(action: "broken", event: "action")
      let broken = try await poll()
      #expect(broken.status == 500)
      try await client.next(["polling": "error"], action: "", event: "polling")
      try await client.next()
      try await client.next(action: "continue", event: "action")
      for event in ["rewindStateToLastRenderedUI", "rewindStateToSpecificRenderedUI"] {
        let rewind = try await client.next(["polling": "continue"], action: "", event: "polling")
        #expect(rewind.status == 200)
        #expect(rewind.body["eventName"]?.string == event)
        #expect(rewind.body["form"] == nil)
      }
      let done = try await client.next(["polling": "continue"], action: "", event: "polling")
      #expect(done.body["status"] == "COMPLETED")
    }
  }
}
