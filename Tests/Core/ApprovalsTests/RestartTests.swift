import Approvals
import ControlAPI
import EventLoop
import Interleaving
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time

@Suite("Pushes after a crash", .timeLimit(.minutes(30)))
struct RestartTests {
  @Test("a pending push keeps its deadline after a crash")
  func pending() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive(["timeout": 60])?.id)
      await bench.pass(.seconds(20))
      try bench.crash()
      try await bench.approvals.resume()
      #expect(bench.timers.delays == [.seconds(40)])
      #expect(try bench.state(of: id) == .pending)
      await bench.pass(.seconds(40))
      #expect(try bench.state(of: id) == .expired)
    }
  }

  @Test("a push that expired while the daemon was down is expired at once")
  func overdue() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive(["timeout": 60])?.id)
      try bench.crash()
      bench.clock.pass(.seconds(3600))
      await #expect(throws: RPCError.pushTimeout) { try await bench.approve(id) }
      try await bench.approvals.resume()
      await bench.pass(.zero)
      #expect(try bench.state(of: id) == .expired)
    }
  }

  @Test("setting the clock back does not extend a push beyond its timeout")
  func clockSetBack() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      _ = try bench.receive(["timeout": 60])
      try bench.crash()
      bench.clock.set(bench.clock.now.adding(seconds: -86_400))
      await bench.pass(.seconds(2))
      try await bench.approvals.resume()
      #expect(bench.timers.delays == [.seconds(58)])
    }
  }

  @Test("a decision that the platform received before a crash is not sent again")
  func heard() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform) { call, moment in
        if case .answer = call { moment == .reply } else { false }
      }
      let id = try #require(try bench.receive()?.id)
      EventLoop.task { _ = try? await bench.approve(id) }
      await settle()
      gate.abandon()
      try bench.crash()
      #expect(try bench.state(of: id) == .sending)
      try await bench.approvals.resume()
      #expect(try bench.state(of: id) == .approved)
      #expect(bench.platform.decisions.count == 1)
    }
  }

  @Test("a decision that the platform did not receive is sent unchanged after a crash")
  func unheard() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      var gate = Gate(bench.platform)
      let push: JSONObject = ["jti": "p", "numberMatching": ["type": "ENTER_MANUALLY"]]
      bench.platform.numbers["p"] = 42
      let id = try #require(try bench.receive(push)?.id)
      EventLoop.task { _ = try? await bench.approve(id, number: 42) }
      await settle()
      gate.abandon()
      try bench.crash()
      gate = Gate(bench.platform)
      try await bench.approvals.resume()
      await bench.pass(.zero)
      #expect(gate.held.count == 1)
      await #expect(throws: RPCError.alreadyAnswered(state: "sending")) { try await bench.deny(id) }
      await gate.release()
      await gate.release()
      #expect(try bench.state(of: id) == .approved)
      #expect(bench.platform.decisions.map { $0.claims["number"] } == [42])
    }
  }

  @Test("the decision is submitted again if the status is unavailable")
  func unreachable() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      let id = try #require(try bench.receive()?.id)
      _ = try? await bench.deny(id)
      try bench.crash()
      try await bench.approvals.resume()
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(1))
      #expect(try bench.state(of: id) == .denied)
    }
  }

  @Test(
    "a final state stays after a crash without new calls",
    arguments: [RemoteStatus.approved, .denied, .cancelled, .expired]
  )
  func over(outcome: RemoteStatus) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive(["jti": "p"])?.id)
      bench.platform.outcomes["p"] = outcome
      _ = try? await bench.approve(id)
      let calls = bench.platform.calls.count
      try bench.crash()
      try await bench.approvals.resume()
      #expect(bench.platform.calls.count == calls)
      #expect(try bench.state(of: id).rawValue == outcome.rawValue)
    }
  }
}
