import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import TestLoop
import TestPlatform
import Testing
import Time

@testable import SignOn

/// Polls that a server or a gateway in front of it postpones.
@Suite("postponed polls", .timeLimit(.minutes(10)))
struct PollBackOffTests {
  private static func response(_ status: Int, _ retryAfter: String? = nil) -> CourierResponse {
    let headers = retryAfter.map { [CourierHeader("Retry-After", $0)] } ?? []
    return CourierResponse(status: status, headers: headers, body: [])
  }

  @Test("each delay is longer, until a response answers the poll")
  func delays() {
    let clock = TestClock()
    var backOff = PollBackOff()
    #expect(backOff.rest(clock.source) == .zero)
    for (status, seconds) in [(429, 1), (502, 2), (503, 4), (504, 8), (504, 16), (504, 30), (504, 30)] {
      let isPostponed = backOff.postpones(after: Self.response(status), clock.source)
      #expect(isPostponed)
      #expect(backOff.rest(clock.source) == .seconds(seconds))
      clock.pass(.seconds(seconds))
      #expect(backOff.rest(clock.source) == .zero)
    }
    for status in [200, 400, 401, 500, 501] {
      let isPostponed = backOff.postpones(after: Self.response(status, "9"), clock.source)
      #expect(!isPostponed)
    }
    _ = backOff.postpones(after: Self.response(502), clock.source)
    #expect(backOff.rest(clock.source) == .seconds(1))
  }

  @Test(
    "Retry-After lengthens the delay to at most five minutes",
    arguments: [
      ("7", 7), ("0", 1), ("-3", 1), ("soon", 1), ("", 1), ("99999999999999999999", 1), ("86400", 300),
      ("Fri, 15 Jan 2027 08:00:20 GMT", 20), ("Fri, 15 Jan 2027 07:00:00 GMT", 1),
      ("Sat, 16 Jan 2027 08:00:00 GMT", 300),
    ]
  )
  func retryAfter(text: String, seconds: Int) {
    let clock = TestClock()
    var backOff = PollBackOff()
    _ = backOff.postpones(after: Self.response(429, text), clock.source)
    #expect(backOff.rest(clock.source) == .seconds(seconds))
  }

  private static let pending = PlayedServer.Answer(["error": "authorization_pending"], status: 400)

  @Test("a device grant is polled on after a postponed poll")
  func device() async throws {
    try await TestLoop.run {
      let server = try PlayedServer()
      defer { server.stop() }
      let flow = try DeviceFlow(server.login(["method": "device"]))
      server.answers = [.init(PlayedServer.deviceGrant)]
      _ = try await flow.start()
      server.answers = [
        Self.pending, .init([:], status: 429, headers: [("Retry-After", "2")]), Self.pending,
        .init(text: "<html>", status: 502), .init(["access_token": "a"]),
      ]
      guard case .done = try await flow.next(StepInput()) else { throw Unexpected(step: .done(nil)) }
    }
  }

  @Test(
    "a final response of a token endpoint ends the device grant with any status",
    arguments: [("access_denied", 429, "DENIED"), ("expired_token", 429, "EXPIRED"), ("x", 400, "REFUSED")]
  )
  func finalResponse(code: String, status: Int, cause: String) async throws {
    try await TestLoop.run {
      let server = try PlayedServer()
      defer { server.stop() }
      let flow = try DeviceFlow(server.login(["method": "device"]))
      server.answers = [.init(PlayedServer.deviceGrant)]
      _ = try await flow.start()
      server.answers = [.init(["error": .string(code)], status: status)]
      let failure = await #expect(throws: SignOnFailure.self) { try await flow.next(StepInput()) }
      #expect(failure?.cause == cause)
    }
  }

  @Test("a journey's step stays after a postponed poll", arguments: [429, 502, 503, 504])
  func journey(status: Int) async throws {
    try await JourneyBench.run([.step(Callbacks.polling), .json(status, [:]), .session]) { bench in
      let node = try await bench.start()
      #expect(try await bench.next(node).outcome == .next)
      #expect(try await bench.next(node).outcome == .success)
    }
  }

  @Test("an answer that a gateway refuses is not repeated")
  func decision() async throws {
    let choice: JSON = [
      "type": "ConfirmationCallback",
      "output": [["name": "options", "value": ["Exit"]], ["name": "optionType", "value": -1]],
      "input": [["name": "IDToken2", "value": 100]],
    ]
    try await JourneyBench.run([.step(Callbacks.polling, choice), .json(502, [:]), .session]) { bench in
      let node = try await bench.start()
      let last = try await bench.next(node, ["IDToken2": "0"])
      #expect(last.outcome == .failure && last.cause == "SERVER_ERROR" && bench.plays.count == 2)
    }
  }

  @Test("a page of a DaVinci flow is polled on, and the outcome of its challenge is sent again")
  func daVinci() async throws {
    try await TestLoop.run {
      let server = try PlayedServer()
      defer { server.stop() }
      let flow = DaVinciFlow(try server.login())
      try await flow.begin(
        page([
          "type": "POLLING", "key": "poll", "pollInterval": 500, "pollRetries": 5, "challenge": "c",
          "pollChallengeStatus": true,
        ])
      )
      server.answers = [
        .init([:], status: 503), .init(["isChallengeComplete": true, "status": "approved"]),
        .init([:], status: 429), .init(page(["type": "SUBMIT_BUTTON", "key": "done"])),
      ]
      #expect(try await flow.next(StepInput()).page().actions.map(\.key) == ["done"])
      let outcomes = server.bodies.compactMap { $0["parameters"]?["data"]?["formData"]?["poll"]?.string }
      #expect(outcomes == ["approved", "approved"])
    }
  }
}
