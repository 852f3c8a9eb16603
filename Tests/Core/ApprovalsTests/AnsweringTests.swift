import Approvals
import ControlAPI
import EventLoop
import Interleaving
import JSON
import JSONRPC
import PingOne
import SQLite
import TestLoop
import TestPlatform
import Testing
import Time

@Suite("Answering a push", .timeLimit(.minutes(30)))
struct AnsweringTests {
  @Test("an approval sends its claims and returns the platform's confirmation")
  func approval() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive(["jti": "p"])?.id)
      let answer = try await bench.approve(id)
      #expect(answer.notification.state == .approved)
      #expect(answer.confirmationInfo == ["confirmed": true])
      #expect(answer.notification.answer?.decision == "approve")
      #expect(
        bench.platform.decisions.map(\.claims) == [
          [
            "decision": "approve", "notification": "p", "authenticationMethod": "user", "device": "d-1000",
            "iat": .int(bench.clock.now.seconds), "shown": "EgqxVqy6IFWdz0BqYTzRxm_FbxKbZFAT6-zP1LVdHAI",
          ]
        ]
      )
    }
  }

  @Test("every attempt to submit a decision includes the posture")
  func posture() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.weather = { (_, moment) throws(PlatformError) in
        if moment == .reply { throw .outOfReach }
      }
      let id = try #require(try bench.receive()?.id)
      await #expect(throws: PlatformError.outOfReach) { try await bench.deny(id) }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(1))
      #expect(try bench.state(of: id) == .denied)
      #expect(bench.platform.postures == [Bench.posture, Bench.posture])
    }
  }

  @Test("two concurrent approvals make one decision and return the same result")
  func twoApprovals() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive()?.id)
      let first = EventLoop.task { try await bench.approve(id).notification.state }
      let second = EventLoop.task { try await bench.approve(id).notification.state }
      await settle()
      #expect(gate.held.count == 1)
      #expect(try bench.state(of: id) == .sending)
      await gate.release()
      await gate.release()
      #expect(try await first.value == .approved)
      #expect(try await second.value == .approved)
      #expect(bench.platform.decisions.count == 1)
    }
  }

  @Test("the first decision wins; the opposite one is refused during and after sending")
  func approveOrDeny() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive()?.id)
      let denial = EventLoop.task { try await bench.deny(id).notification.state }
      await settle()
      await #expect(throws: RPCError.alreadyAnswered(state: "sending")) { try await bench.approve(id) }
      await gate.release()
      await gate.release()
      #expect(try await denial.value == .denied)
      await #expect(throws: RPCError.alreadyAnswered(state: "denied")) { try await bench.approve(id) }
      #expect(bench.platform.decisions.map { $0.claims["decision"] } == ["deny"])
    }
  }

  @Test("a cancellation after the decision does not change it")
  func cancelLate() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive(["jti": "p"])?.id)
      let approval = EventLoop.task { try await bench.approve(id).notification.state }
      await settle()
      #expect(try bench.receive(["type": "cancel", "cancels": "p"])?.state == .sending)
      await gate.release()
      await gate.release()
      #expect(try await approval.value == .approved)
      #expect(try bench.receive(["type": "cancel", "cancels": "p"])?.state == .approved)
    }
  }

  @Test("an earlier outcome at the platform overrides the approval")
  func cancelledElsewhere() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      for (outcome, error, state) in [
        (.cancelled, .cancelled, .cancelled), (.expired, .pushTimeout, .expired),
        (.denied, .alreadyAnswered(state: "denied"), .denied),
      ] as [(RemoteStatus, RPCError, NotificationObject.State)] {
        let id = try #require(try bench.receive(["jti": .string("p-\(outcome)")])?.id)
        bench.platform.outcomes["p-\(outcome)"] = outcome
        await #expect(throws: error) { try await bench.approve(id) }
        #expect(try bench.state(of: id) == state)
      }
    }
  }

  @Test("a decision that the platform accepts while the push expires is valid")
  func acceptedLate() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive()?.id)
      let approval = EventLoop.task { try await bench.approve(id).notification.state }
      await settle()
      await gate.release()
      await bench.pass(.seconds(120))
      #expect(gate.held.count == 1, "the reply is on its way")
      await gate.release()
      #expect(try await approval.value == .approved)
      #expect(try bench.state(of: id) == .approved)
    }
  }

  @Test("an undelivered decision expires with the push and is not retried")
  func unheard() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive()?.id)
      let approval = EventLoop.task { try await bench.approve(id) }
      await settle()
      await bench.pass(.seconds(120))
      await gate.release(.outOfReach)
      await #expect(throws: PlatformError.outOfReach) { try await approval.value }
      await bench.pass(.zero)
      #expect(try bench.state(of: id) == .expired)
      #expect(bench.timers.delays.isEmpty, "nothing is tried again")
    }
  }

  @Test("a decision is retried with back-off, one attempt at a time, until delivered")
  func repeated() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      let id = try #require(
        try bench.receive(["exp": .int(bench.clock.now.seconds + 600), "timeout": 600])?.id
      )
      await #expect(throws: PlatformError.outOfReach) { try await bench.approve(id) }
      var distances: [Duration] = []
      while let next = bench.timers.delays.first, distances.count < 8 {
        #expect(bench.timers.delays.count == 2, "the end of the push, and one attempt")
        distances.append(next)
        await bench.pass(next)
      }
      #expect(distances == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
      // A repeated call does not start a second series of attempts.
      await #expect(throws: PlatformError.outOfReach) { try await bench.approve(id) }
      #expect(bench.timers.delays.count == 2)
      await #expect(throws: RPCError.alreadyAnswered(state: "sending")) { try await bench.deny(id) }

      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(30))
      #expect(try bench.state(of: id) == .approved)
      #expect(bench.platform.decisions.count == 1)
    }
  }

  @Test("after a lost reply the decision is sent again with the same result")
  func lostReply() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive()?.id)
      let approval = EventLoop.task { try await bench.approve(id) }
      await settle()
      await gate.release()
      await gate.release(.brokenDown)
      await #expect(throws: PlatformError.brokenDown) { try await approval.value }
      #expect(try bench.state(of: id) == .sending)
      await bench.pass(.seconds(1))
      await gate.release()
      await gate.release()
      #expect(try bench.state(of: id) == .approved)
      #expect(bench.platform.decisions.map { $0.claims["decision"] } == ["approve", "approve"])
    }
  }

  @Test("a decision that the platform refuses is reverted, and another can be made")
  func refused() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      let locked = RPCError.accountLocked.with(["policy": "push limit"])
      for error in [
        .refused(.failedPolicy), .refused(.deviceRequirements), .refused(.deviceMismatch), .refused(locked),
      ] as [PlatformError] {
        bench.platform.weather = { (_, _) throws(PlatformError) in throw error }
        await #expect(throws: error.rpcError) { try await bench.approve(id) }
        let push = try bench.approvals.notification(id, of: Bench.owner)
        #expect(push.state == .pending && push.answer == nil)
      }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      #expect(try await bench.deny(id).notification.state == .denied)
    }
  }

  @Test("approval requires a number if the push or the configuration does")
  func numberRequired() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nrequire_number = yes")
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      await #expect(throws: RPCError.numberRequired) { try await bench.approve(id) }
      #expect(try await bench.deny(id).notification.state == .denied)
    }
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(
        try bench.receive(["numberMatching": ["type": "SELECT_NUMBER", "options": [1, 42, 7]]])?.id
      )
      await #expect(throws: RPCError.numberRequired) { try await bench.approve(id) }
      #expect(bench.platform.calls.allSatisfy { if case .answer = $0 { false } else { true } })
      #expect(try await bench.approve(id, number: 42).notification.state == .approved)
      let other = try #require(try bench.receive(["numberMatching": ["type": "ENTER_MANUALLY"]])?.id)
      #expect(try await bench.deny(other).notification.state == .denied)
    }
  }

  @Test("a wrong number keeps the push pending until no tries are left")
  func wrongNumbers() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(
        try bench.receive(["jti": "p", "numberMatching": ["type": "ENTER_MANUALLY"]])?.id
      )
      bench.platform.numbers["p"] = 42
      for (left, state) in [(2, .pending), (1, .pending), (0, .denied)] as [(Int, NotificationObject.State)] {
        await #expect(throws: RPCError.numberMismatch.with(["triesLeft": .int(left)])) {
          try await bench.approve(id, number: 7)
        }
        #expect(try bench.state(of: id) == state)
      }
      await #expect(throws: RPCError.alreadyAnswered(state: "denied")) {
        try await bench.approve(id, number: 42)
      }
    }
  }

  @Test("a reply that cannot be stored is stored later without a new request")
  func storeBusy() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive()?.id)
      let approval = EventLoop.task { try await bench.approve(id) }
      await settle()
      await gate.release()
      let other = try Database(path: bench.statePath + "/mfad.db")
      try other.run("BEGIN IMMEDIATE")
      await gate.release()
      await #expect(throws: SQLiteError.self) { try await approval.value }
      try other.run("ROLLBACK")
      #expect(try bench.state(of: id) == .sending)
      await bench.pass(.seconds(1))
      #expect(gate.held.isEmpty)
      #expect(try bench.state(of: id) == .approved)
    }
  }
}
