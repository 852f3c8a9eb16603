import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import TestCourier
import Testing
import WebAddress

@testable import SignOn

private let issuer = "issuer = \(JourneyBench.issuer)"
private let keeping = "keep_session = yes"

@Suite("sessions of journeys")
struct JourneySessionTests {
  private static func kept(_ bench: JourneyBench) async throws -> [String] {
    try await bench.parts.sessions.list(of: JourneyBench.owner).map(\.issuer)
  }

  @Test("a session becomes tokens without a page and is not part of any URL")
  func tokens() async throws {
    for isPushed in [false, true] {
      try await JourneyBench.run([.session], configuration: issuer) { bench in
        bench.takesPushedRequests = isPushed
        let node = try await bench.start()
        #expect(node.outcome == .success && node.user?.id == "ann" && node.json["pairing"] == .null)
        let request = try #require(bench.requests("authorize").first)
        #expect(request.method == .get && request.header("session-cookie") == "t-1")
        #expect(request.header("Accept-API-Version") == "resource=2.1, protocol=1.0")
        let query = JourneyBench.parameters(request.url.query ?? "")
        #expect((query["request_uri"] != nil) == isPushed && query["client_id"] == "desk")
        #expect(!request.url.text.contains("t-1") && query["mobilePayload"] == nil)
        #expect(bench.requests("par").count == (isPushed ? 1 : 0))
        #expect(try await Self.kept(bench).isEmpty, "nothing is kept unless that is wanted")
      }
    }
  }

  @Test("a forced journey does not send prompt=login to the issuer")
  func forced() async throws {
    try await JourneyBench.run([.session], configuration: issuer) { bench in
      let node = try await bench.start(["forceAuth": true])
      #expect(node.user?.id == "ann")
      let request = try #require(bench.requests("authorize").first)
      #expect(JourneyBench.parameters(request.url.query ?? "")["prompt"] == nil)
    }
  }

  @Test(
    "a redirect without a valid code for this request fails the sign-on",
    arguments: [
      ("https://evil.example/?code=c&state=STATE", "REDIRECTED"),
      ("http://127.0.0.1/callback.evil?code=c&state=STATE", "REDIRECTED"),
      ("http://127.0.0.1/callback", "REDIRECTED"), ("http://127.0.0.1/callback?code=c", "STATE_MISMATCH"),
      ("http://127.0.0.1/callback?code=c&state=other", "STATE_MISMATCH"),
      ("http://127.0.0.1/callback?code=c&state=STATE&iss=https://evil.example", "STATE_MISMATCH"),
      ("http://127.0.0.1/callback?code=c&code=d&state=STATE", "MALFORMED"),
      ("http://127.0.0.1/callback?error=access_denied&state=STATE", "DENIED"),
      ("http://127.0.0.1/callback?error=server_error&state=STATE", "REFUSED"),
      ("http://127.0.0.1/callback?state=STATE", "NO_CODE"),
    ]
  )
  func refused(location: String, cause: String) async throws {
    try await JourneyBench.run([.session], configuration: issuer) { bench in
      bench.authorization = { .redirect(location.replacing("STATE", with: $0["state"] ?? "")) }
      let node = try await bench.start()
      #expect(node.outcome == .failure && node.cause == cause)
      #expect(bench.requests("access_token").isEmpty)
    }
  }

  @Test(
    "a page instead of a redirect fails the sign-on and deletes the kept journey session",
    arguments: [
      (200, "<html>", "NO_CODE"), (400, #"{"error":"invalid_client"}"#, "REFUSED"), (503, "", "SERVER_ERROR"),
    ]
  )
  func page(status: Int, body: String, cause: String) async throws {
    try await JourneyBench.run([.session, .session], configuration: issuer + "\n" + keeping) { bench in
      #expect(try await bench.start().outcome == .success)
      bench.authorization = { _ in CourierResponse(status: status, headers: [], body: Array(body.utf8)) }
      let node = try await bench.start()
      #expect(node.outcome == .failure && node.cause == cause)
      #expect(try await Self.kept(bench) == [JourneyBench.issuer], "the tokens of the first time")
    }
  }

  @Test("a refused scope is an error that names the requested scopes")
  func scope() async throws {
    try await JourneyBench.run([.session], configuration: issuer) { bench in
      bench.authorization = { _ in .json(400, ["error": "invalid_scope"]) }
      let error = await #expect(throws: RPCError.self) { try await bench.start() }
      #expect(error?.code == 11021 && error?.details["scopes"] == ["openid", "profile"])
    }
  }

  @Test("a journey without a session or without an issuer ends without tokens")
  func without() async throws {
    try await JourneyBench.run([.session], configuration: issuer + "\n" + keeping) { bench in
      let node = try await bench.start(["noSession": true])
      #expect(node.outcome == .success && node.user == nil)
      #expect(bench.requests("openid-configuration").isEmpty)
      #expect(try await Self.kept(bench).isEmpty)
    }
    let over = CourierResponse.json(200, ["successUrl": "/am/console", "realm": "/"])
    try await JourneyBench.run([over], configuration: issuer) { bench in
      let node = try await bench.start()
      #expect(node.outcome == .success)
      #expect(bench.requests("authorize").isEmpty)
    }
    try await JourneyBench.run([.session], configuration: "issuer = https://other.example/as") { bench in
      let node = try await bench.start()
      #expect(node.outcome == .success)
      #expect(bench.requests("authorize").isEmpty)
    }
  }

  @Test("a kept session is sent unless forceAuth is set")
  func handedIn() async throws {
    try await JourneyBench.run([.session, .session, .step(Callbacks.name)], configuration: keeping) { bench in
      for options in [[:], [:], ["forceAuth": true]] as [JSONObject] { _ = try await bench.start(options) }
      #expect(bench.plays.map { $0.header("session-cookie") } == [nil, "t-1", nil])
      #expect(try await Self.kept(bench) == [JourneyBench.authenticate])
    }
  }

  @Test("a kept session that the server rejects is deleted, and the journey starts without it")
  func dropped() async throws {
    let refusal = CourierResponse.json(401, ["code": 401, "message": "Session has timed out"])
    let lines: [CourierResponse] = [.session, refusal, .step(Callbacks.name), refusal]
    try await JourneyBench.run(lines, configuration: keeping) { bench in
      _ = try await bench.start()
      #expect(try await bench.start().outcome == .next)
      #expect(bench.plays.map { $0.header("session-cookie") } == [nil, "t-1", nil])
      #expect(try await Self.kept(bench).isEmpty)
      #expect(try await bench.start().cause == "LOGIN_FAILED", "without a session it is tried once")
    }
  }

  @Test("a kept session that is ended locally is ended at the server")
  func ended() async throws {
    try await JourneyBench.run([.session], configuration: keeping) { bench in
      _ = try await bench.start()
      let session = try #require(try bench.parts.sessions.list(of: JourneyBench.owner).first)
      try await bench.service.endSession(session.id, owner: JourneyBench.owner)
      let request = try #require(bench.requests("sessions").first)
      #expect(
        request.url.text == "\(JourneyBench.server)/json/realms/root/realms/alpha/sessions?_action=logout"
      )
      #expect(request.method == .post && request.header("session-cookie") == "t-1")
      #expect(request.header("Accept-API-Version") == "resource=3.1, protocol=1.0")
      #expect(try await Self.kept(bench).isEmpty)
    }
  }
}
