import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import TestCourier
import Testing
import WebAddress

@testable import SignOn

private let failure = CourierResponse.json(401, ["code": 401, "message": "Login failure"])

@Suite("journeys")
struct JourneyFlowTests {
  @Test("a journey is started by name, and each answer repeats all members of the step")
  func played() async throws {
    let more: JSONObject = ["header": "Sign In", "stage": "S", "custom": ["kept": true]]
    let lines: [CourierResponse] = [
      .step(Callbacks.name, Callbacks.password, more: more), .session,
    ]
    try await JourneyBench.run(lines) { bench in
      let node = try await bench.start(["journey": "Log in/ü", "locale": "de-CH"])
      #expect(node.outcome == .next && node.method == .journey && node.page.title == "Sign In")
      let first = try #require(bench.plays.first)
      #expect(
        first.url.text
          == "\(JourneyBench.authenticate)?authIndexType=service&authIndexValue=Log%20in%2F%C3%BC"
      )
      #expect(first.method == .post && first.body == Array("{}".utf8))
      #expect(first.header("Accept-API-Version") == "resource=2.1, protocol=1.0")
      #expect(first.header("Content-Type") == "application/json")
      #expect(first.header("X-Requested-With") == "ping-sdk")
      #expect(first.header("Accept-Language")?.hasPrefix("de-CH") == true)
      #expect(first.header("session-cookie") == nil)
      let last = try await bench.next(node, ["IDToken1": "ann", "IDToken2": "pw"])
      #expect(last.outcome == .success && last.user == nil && last.json["pairing"] == .null)
      #expect(bench.plays[1].url.text == JourneyBench.authenticate)
      let sent = try JSON(parsing: bench.plays[1].body)
      #expect(sent["authId"] == "a" && sent["custom"] == ["kept": true] && sent["header"] == "Sign In")
      #expect(sent["callbacks"]?.array?.map { $0["input"]?.array?.first?["value"] } == ["ann", "pw"])
      #expect(sent["callbacks"]?.array?.map { $0["_id"]?.int } == [0, 1])
      await #expect(throws: RPCError.expired) { _ = try await bench.next(node) }
    }
  }

  @Test("a missing journey name or an unknown issuer is rejected before any request")
  func missing() async throws {
    try await JourneyBench.run([]) { bench in
      for name in [JSON.null, ""] {
        await #expect(throws: RPCError.invalidParameter("journey")) {
          _ = try await bench.start(["journey": name])
        }
      }
      await #expect(throws: RPCError.invalidParameter("issuer")) {
        _ = try await bench.start(["issuer": "https://other.example/as"])
      }
      #expect(bench.plays.isEmpty)
    }
  }

  @Test("options of the start are sent again with each answer")
  func options() async throws {
    try await JourneyBench.run([.step(Callbacks.name), .session]) { bench in
      let node = try await bench.start(["forceAuth": true, "noSession": true])
      _ = try await bench.next(node, ["IDToken1": "ann"])
      #expect(
        bench.plays.map(\.url.query) == [
          "authIndexType=service&authIndexValue=Login&ForceAuth=true&noSession=true",
          "ForceAuth=true&noSession=true",
        ]
      )
    }
  }

  @Test("values of the wrong type or without a field are rejected without a request")
  func wrongValues() async throws {
    try await JourneyBench.run([.step(Callbacks.name), .session]) { bench in
      let node = try await bench.start()
      for values in [["IDToken1": 5], ["IDToken1": "a", "x": "b"], ["callback0": "a"]] as [JSONObject] {
        await #expect(throws: RPCError.invalidParameter("values")) { _ = try await bench.next(node, values) }
      }
      await #expect(throws: RPCError.invalidParameter("action")) {
        _ = try await bench.next(node, action: "other")
      }
      #expect(bench.plays.count == 1)
      #expect(try await bench.next(node, ["IDToken1": "ann"], action: "submit").outcome == .success)
    }
  }

  @Test("a missing required value is reported at its field without a request")
  func needed() async throws {
    let mail: JSON = [
      "type": "StringAttributeInputCallback",
      "output": [["name": "prompt", "value": "Mail"], ["name": "required", "value": true]],
      "input": [["name": "IDToken1", "value": ""], ["name": "IDToken1validateOnly", "value": false]],
    ]
    try await JourneyBench.run([.step(mail), .session]) { bench in
      let node = try await bench.start()
      for values in [[:], ["IDToken1": ""]] as [JSONObject] {
        let again = try await bench.next(node, values)
        #expect(again.outcome == .error && again.page.collectors.first?.message == "an answer is needed")
      }
      #expect(bench.plays.count == 1)
      #expect(try await bench.next(node, ["IDToken1": "a@b.c"]).outcome == .success)
    }
  }

  @Test("an unreachable server leaves the step unchanged")
  func unreachable() async throws {
    try await JourneyBench.run([.step(Callbacks.name)]) { bench in
      let node = try await bench.start()
      let origin = try #require(WebURL("https://am.example/")?.origin)
      await #expect(throws: RPCError.issuerUnreachable.withCause(.brokenOff, at: origin)) {
        _ = try await bench.next(node, ["IDToken1": "ann"])
      }
      bench.lines = [.session]
      #expect(try await bench.next(node, ["IDToken1": "ann"]).outcome == .success)
    }
  }

  @Test(
    "a failed journey has a stable cause",
    arguments: [
      (401, #"{"code":401,"message":"Login failure"}"#, "LOGIN_FAILED", "Login failure"),
      (401, #"{"code":401,"message":"x","detail":{"errorCode":"110"}}"#, "SESSION_EXPIRED", nil),
      (401, #"{"code":401,"message":"no","detail":{"errorCode":"lockout_1"}}"#, "LOCKOUT_1", "no"),
      (401, #"{"code":401,"message":"no","detail":{"errorCode":"a b"}}"#, "LOGIN_FAILED", "no"),
      (401, #"{"code":401,"message":"no","detail":{"errorCode":"ê"}}"#, "LOGIN_FAILED", "no"),
      (400, #"{"code":"requestTimedOut","message":"late"}"#, "TIMED_OUT", "late"),
      (400, #"{"code":1999,"message":"odd"}"#, "SESSION_EXPIRED", "the sign-on took too long"),
      (
        400,
        #"{"code":400,"message":"bad","detail":{"failedPolicyRequirements":[{"policyRequirement":"UNIQUE"}]}}"#,
        "LOGIN_FAILED", "bad: must not be in use already"
      ),
      (403, "{}", "LOGIN_FAILED", nil), (401, "<html>", "NOT_JSON", nil), (500, "{}", "SERVER_ERROR", nil),
      (302, "", "REDIRECTED", nil), (200, "[]", "NOT_JSON", nil), (200, "{}", "MALFORMED", nil),
      (201, #"{"tokenId":"t"}"#, "MALFORMED", nil),
      (200, #"{"tokenId":"t\r\nX: 1","successUrl":"/"}"#, "MALFORMED", nil),
    ] as [(Int, String, String, String?)]
  )
  func failures(status: Int, body: String, cause: String, message: String?) async throws {
    let answer = CourierResponse(status: status, headers: [], body: Array(body.utf8))
    try await JourneyBench.run([.step(Callbacks.name), answer]) { bench in
      let node = try await bench.start()
      let last = try await bench.next(node, ["IDToken1": "ann"])
      #expect(last.outcome == .failure && last.cause == cause, "\(last)")
      if let message { #expect(last.page.message == message) }
      await #expect(throws: RPCError.expired) { _ = try await bench.next(node) }
    }
  }
}

@Suite("waiting in a journey")
struct JourneyWaitTests {
  private static let cancel: JSON = [
    "type": "ConfirmationCallback",
    "output": [["name": "options", "value": ["Cancel"]], ["name": "defaultOption", "value": 0]],
    "input": [["name": "IDToken2", "value": 100]],
  ]
  private static let suspended: JSON = [
    "type": "SuspendedTextOutputCallback", "output": [["name": "message", "value": "Look into your mail"]],
  ]

  @Test("a polling step is posted unchanged after its wait time")
  func polled() async throws {
    try await JourneyBench.run([.step(Callbacks.polling, Self.cancel), .session]) { bench in
      let node = try await bench.start()
      #expect(node.page.actions.isEmpty && node.page.collectors.map(\.isRequired) == [false, false])
      #expect(node.page.collectors.last?.value == nil)
      #expect(try await bench.next(node).outcome == .success)
      let sent = try JSON(parsing: bench.plays[1].body)
      #expect(sent["callbacks"] == [Callbacks.polling, Self.cancel])
    }
  }

  @Test("a choice in a polling step is sent without waiting")
  func chosen() async throws {
    var slow = Callbacks.polling.object ?? [:]
    slow["output"] = [["name": "waitTime", "value": "600000"]]
    try await JourneyBench.run([.step(.object(slow), Self.cancel), failure]) { bench in
      let node = try await bench.start()
      #expect(try await bench.next(node, ["IDToken2": 0]).outcome == .failure)
      let sent = try JSON(parsing: bench.plays[1].body)
      #expect(sent["callbacks"]?.array?.last?["input"]?.array?.first?["value"] == 0)
    }
  }

  @Test("a suspended journey is resumed only by a link of its server")
  func resumed() async throws {
    try await JourneyBench.run([.step(Self.suspended), .step(Callbacks.name), .session]) { bench in
      let node = try await bench.start(["forceAuth": true])
      let links = [
        "https://evil.example/?suspendedId=s", "https://am.example/?other=x", "https://am.example/", "x",
      ]
      for link in links {
        await #expect(throws: RPCError.invalidParameter("uri")) { _ = try await bench.resume(node, link) }
      }
      let step = try await bench.resume(node, "https://am.example/am/XUI/?realm=/a&suspendedId=s%2F1&x=y#top")
      #expect(step.outcome == .next && bench.plays[1].url.query == "suspendedId=s%2F1")
      #expect(bench.plays[1].body == Array("{}".utf8))
      #expect(try await bench.next(node, ["IDToken1": "ann"]).outcome == .success)
    }
  }

  @Test("a call that waits for a link returns when the link arrives")
  func woken() async throws {
    try await JourneyBench.run([.step(Self.suspended), .session]) { bench in
      let node = try await bench.start()
      let waiting = EventLoop.task { try await bench.next(node) }
      // Tasks start in order, so the first one already waits.
      let resuming = EventLoop.task { try await bench.resume(node, "https://am.example/?suspendedId=s") }
      #expect(try await waiting.value.outcome == .next)
      #expect(try await resuming.value.outcome == .success)
    }
  }

  @Test("a redirect requires https, and its result is sent with the same step")
  func redirected() async throws {
    func redirect(_ url: String) -> JSON {
      ["type": "RedirectCallback", "output": [["name": "redirectUrl", "value": .string(url)]]]
    }
    try await JourneyBench.run([.step(redirect("https://idp.example/a?b=c")), .session]) { bench in
      let node = try await bench.start()
      #expect(node.page.browserURL == "https://idp.example/a?b=c" && node.page.actions.isEmpty)
      let last = try await bench.resume(node, "http://127.0.0.1/callback?code=c&state=s&other=x")
      #expect(last.outcome == .success && bench.plays[1].url.query == "code=c&state=s")
      #expect(try JSON(parsing: bench.plays[1].body)["authId"] == "a")
    }
    try await JourneyBench.run([.step(redirect("http://idp.example/"))]) { bench in
      let node = try await bench.start()
      #expect(node.cause == "UNSUPPORTED")
    }
  }
}
