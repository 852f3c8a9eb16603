import Approvals
import ControlAPI
import EventLoop
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time

extension Bench {
  fileprivate func act(_ action: NotificationAction, _ push: String) async throws -> NotificationObject? {
    try await life.approvals.act(action, on: ["message": .string(push)], method: "user", owner: Self.owner)
  }
}

@Suite("actions on a push", .timeLimit(.minutes(30)))
struct ActingTests {
  @Test("a button accepts and answers the push, and repeating it gives the same result")
  func buttons() async throws {
    for (action, state, decision) in [
      (.approve, .approved, ["decision": "approve", "notification": "p", "authenticationMethod": "user"]),
      (.deny, .denied, ["decision": "deny", "notification": "p", "reason": "NONE"]),
    ] as [(NotificationAction, NotificationObject.State, JSONObject)] {
      try await TestLoop.run {
        let bench = try Bench()
        try await bench.pair()
        let push = try bench.push(["jti": "p"])
        let first = try #require(try await bench.act(action, push))
        #expect(first.state == state)
        #expect(try await bench.act(action, push)?.json == first.json)
        var claims = decision
        (claims["device"], claims["iat"]) = ("d-1000", .int(bench.clock.now.seconds))
        claims["shown"] = "EgqxVqy6IFWdz0BqYTzRxm_FbxKbZFAT6-zP1LVdHAI"
        #expect(bench.platform.decisions.map(\.claims) == [claims])
        let other: NotificationAction = action == .approve ? .deny : .approve
        await #expect(throws: RPCError.alreadyAnswered(state: state.rawValue)) {
          try await bench.act(other, push)
        }
      }
    }
  }

  @Test("opening a push stores it without an answer")
  func open() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let push = try bench.push()
      let opened = try #require(try await bench.act(.open, push))
      #expect(opened.state == .pending)
      #expect(try await bench.act(.open, push)?.id == opened.id)
      #expect(bench.platform.decisions.isEmpty)
    }
  }

  @Test("a button cannot approve a push that requires a number, and the push stays pending")
  func number() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let push = try bench.push(["jti": "p", "numberMatching": ["type": "ENTER_MANUALLY"]])
      await #expect(throws: RPCError.numberRequired) { try await bench.act(.approve, push) }
      let id = try #require(try await bench.act(.open, push)?.id)
      bench.platform.numbers["p"] = 42
      #expect(try await bench.approve(id, number: 42).notification.state == .approved)
      #expect(try await bench.act(.approve, push)?.state == .approved)
    }
  }

  @Test("a push without a sign-on request is stored and not answered")
  func others() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      #expect(try await bench.act(.approve, try bench.push(["type": "test"]))?.kind == .test)
      #expect(try await bench.act(.approve, try bench.push(["type": "cancel", "cancels": "p"])) == nil)
      await #expect(throws: RPCError.cancelled) {
        try await bench.act(.approve, try bench.push(["jti": "p"]))
      }
      await #expect(throws: RPCError.unrecognizedNotification) { try await bench.act(.deny, "hello") }
      let late = try bench.push(["jti": "late", "timeout": 40])
      _ = try await bench.act(.open, late)
      await bench.pass(.seconds(40))
      await #expect(throws: RPCError.pushTimeout) { try await bench.act(.approve, late) }
      #expect(bench.platform.decisions.isEmpty)
    }
  }
}
