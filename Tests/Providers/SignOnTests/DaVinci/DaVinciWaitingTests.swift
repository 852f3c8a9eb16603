import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import TestCourier
import TestLoop
import Testing
import WebAddress

@testable import SignOn

/// Pages that wait for an external event.
@Suite("waiting in DaVinci flows", .timeLimit(.minutes(30)))
struct DaVinciWaitingTests {
  private static func run(
    _ body: @escaping @EventLoop @Sendable (DaVinciFlow, PlayedServer) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let server = try PlayedServer()
      defer { server.stop() }
      try await body(DaVinciFlow(try server.login()), server)
    }
  }

  /// A polling field with `retries` and the shortest interval.
  private static func polling(retries: Int, interval: Int = 1, challenge: JSON? = nil) -> JSON {
    var field: JSONObject = [
      "type": "POLLING", "key": "poll", "pollInterval": .int(interval), "pollRetries": .int(retries),
    ]
    if let challenge { (field["pollChallengeStatus"], field["challenge"]) = (true, challenge) }
    return .object(field)
  }

  private static let end = page(["type": "SUBMIT_BUTTON", "key": "done"])
  private static let rewind: JSON = ["eventName": "rewindStateToLastRenderedUI"]
  private static let resend: JSON = ["type": "FLOW_BUTTON", "inputType": "ACTION", "key": "resend"]

  /// The outcomes that a polling page was sent, in order.
  @EventLoop
  private static func outcomes(_ server: PlayedServer) -> [String?] {
    server.bodies.compactMap { $0["parameters"] }.map { parameters in
      #expect(parameters["eventType"] == "polling" && parameters["data"]?["actionKey"] == nil)
      return parameters["data"]?["formData"]?["poll"]?.string
    }
  }

  @Test("without a challenge the page is polled until another page comes")
  func rewinds() async throws {
    try await Self.run { flow, server in
      let first = try await flow.begin(page(Self.polling(retries: 5), Self.resend)).page()
      #expect(first.collectors.map(\.type) == ["PollingCollector"])
      server.answers = [
        .init(Self.rewind), .init(["eventName": "rewindStateToSpecificRenderedUI"]), .init(Self.end),
      ]
      #expect(try await flow.next(StepInput()).page().actions.map(\.key) == ["done"])
      #expect(Self.outcomes(server) == ["continue", "continue", "continue"])
    }
  }

  @Test("endless rewinds time out")
  func endless() async throws {
    try await Self.run { flow, server in
      try await flow.begin(page(Self.polling(retries: 2)))
      server.answers = Array(repeating: .init(Self.rewind), count: 100)
      await #expect(throws: SignOnFailure("TIMED_OUT", "nobody answered in time")) {
        try await flow.next(StepInput())
      }
      #expect(Self.outcomes(server) == ["continue", "continue", "timedOut"])
    }
  }

  @Test("a challenge is polled at its status URL, and its outcome is sent to the page")
  func challenge() async throws {
    try await Self.run { flow, server in
      try await flow.begin(page(Self.polling(retries: 5, challenge: "hlMtnk2R-_~")))
      server.answers = [
        .init(["isChallengeComplete": false]), .init(["isChallengeComplete": true, "status": "approved"]),
        .init(Self.end),
      ]
      #expect(try await flow.next(StepInput()).page().actions.map(\.key) == ["done"])
      let status = "https://auth.example/e-1/davinci/user/credentials/challenge/hlMtnk2R-_~/status"
      #expect(server.requests.prefix(2).map(\.url.text) == [status, status])
      #expect(server.requests[0].header("interactionId") == "i-1" && server.bodies[0] == [:])
      #expect(Self.outcomes(server) == ["approved"])
    }
  }

  @Test(
    "an unavailable challenge is sent as expired or error",
    arguments: [(400, "challengeExpired", "expired"), (400, "internalError", "error"), (500, "x", "error")]
  )
  func lost(status: Int, name: String, outcome: String) async throws {
    try await Self.run { flow, server in
      try await flow.begin(page(Self.polling(retries: 5, challenge: "c")))
      server.answers = [.init(["serviceName": .string(name)], status: status), .init(Self.end)]
      _ = try await flow.next(StepInput()).page()
      #expect(Self.outcomes(server) == [outcome])
    }
  }

  @Test("an open challenge times out")
  func open() async throws {
    try await Self.run { flow, server in
      try await flow.begin(page(Self.polling(retries: 1, challenge: "c")))
      server.answers = [.init(["isChallengeComplete": false]), .init(Self.end)]
      _ = try await flow.next(StepInput()).page()
      #expect(Self.outcomes(server) == ["timedOut"])
    }
  }

  @Test(
    "a challenge that is not a valid path component is rejected",
    arguments: ["..", ".", "a/b", "a?b", "a#b", "%2e", "a b", "é"]
  )
  func odd(challenge: String) async throws {
    try await Self.run { flow, server in
      try await flow.begin(page(Self.polling(retries: 5, challenge: .string(challenge))))
      await #expect(throws: SignOnFailure.malformed) { try await flow.next(StepInput()) }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("another action can be chosen, and an interruption ends the wait")
  func others() async throws {
    try await Self.run { flow, server in
      let waiting = page(Self.polling(retries: 5, interval: 25_000), Self.resend)
      try await flow.begin(waiting)
      server.answers = [.init(waiting)]
      _ = try await flow.next(StepInput(action: "resend")).page()
      #expect(server.bodies[0]["parameters"]?["data"]?["actionKey"] == "resend")
      let wait = EventLoop.task { try await flow.next(StepInput()) }
      try await EventLoop.sleep(for: .milliseconds(1))
      flow.login.mutex.interrupt()
      #expect(try await wait.value.page().collectors.map(\.key) == ["poll"])
      #expect(server.requests.count == 1)
    }
  }

  @Test("polling intervals and retries are limited")
  func limits() throws {
    func field(_ members: JSONObject) -> DaVinciPolling {
      DaVinciPolling(
        DaVinciField(
          json: .object(members),
          key: "k",
          hasKey: true,
          initial: nil,
          richText: nil,
          passwordPolicy: nil,
          allowsLoopbackHTTP: false
        )
      )
    }
    #expect(field([:]).interval == .seconds(2) && field([:]).retries == 60 && field([:]).challenge == nil)
    #expect(field(["pollInterval": -1]).interval == .milliseconds(500))
    #expect(field(["pollInterval": 9_000_000_000_000_000_000]).interval == .seconds(25))
    #expect(field(["pollInterval": "3000", "pollRetries": "7"]).interval == .seconds(3))
    #expect(field(["pollRetries": 0]).retries == 1)
    #expect(field(["pollRetries": 9_000_000_000]).retries == 10_000)
    #expect(field(["challenge": "c"]).challenge == nil)
    #expect(field(["pollChallengeStatus": true]).challenge == nil)
    #expect(field(["pollChallengeStatus": true, "challenge": "c"]).challenge == "c")
  }
}
