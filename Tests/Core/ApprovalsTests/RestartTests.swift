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
  @Test("a push that waited waits on, no longer than it would have")
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

  @Test("a push whose time ran out while nothing ran is over at once")
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

  @Test("a clock that was set back gives a push no more time than it had from its receipt")
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

  @Test("a decision that the platform had heard is not sent again")
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

  @Test("a decision that the platform had not heard is sent again, as it was made")
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

  @Test("a status that cannot be asked for is asked for by the decision itself")
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

  @Test("what is over stays over", arguments: [Standing.approved, .denied, .cancelled, .expired])
  func over(outcome: Standing) async throws {
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
