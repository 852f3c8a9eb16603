import Accounts
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

@Suite("Answers concurrent with other events", .timeLimit(.minutes(30)))
struct CrossingTests {
  @Test(
    "an answer in flight ends with the platform's reply, even if the status fails"
  )
  func late() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      var gate = Gate(bench.platform)
      let push = try #require(try bench.receive(["timeout": 60]))
      let owner = Bench.owner
      EventLoop.task { _ = try? await bench.approvals.deny(push.id, reason: "NONE", owner: owner) }
      await settle()
      gate.abandon()
      try bench.crash()
      // The next run requests the status, while the owner repeats the same answer.
      gate = Gate(bench.platform) { call, moment in moment == .reply }
      EventLoop.task { try? await bench.approvals.resume() }
      await settle()
      let answer = EventLoop.task {
        try await bench.approvals.deny(push.id, reason: "NONE", owner: owner).notification.state
      }
      await settle()
      #expect(gate.held.map(\.call) == [.status("p-1"), .answer("p-1")])
      await bench.pass(.seconds(60))
      await gate.release(.outOfReach)
      #expect(try bench.state(of: push.id) == .expired, "nobody knows yet")
      await gate.release()
      #expect(try await answer.value == .denied)
      #expect(try bench.state(of: push.id) == .denied)
    }
  }

  @Test("an answer fails with cancelled if its pairing ends during delivery")
  func forgotten() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let push = try #require(try bench.receive())
      let gate = Gate(bench.platform) { call, moment in call == .answer("p-1") && moment == .reply }
      let owner = Bench.owner
      let answer = EventLoop.task {
        try await bench.approvals.deny(push.id, reason: "NONE", owner: owner)
      }
      await settle()
      bench.platform.forgetDevices()
      await #expect(throws: PlatformError.deviceUnknown) {
        try await bench.accounts.rename(account, to: "n", owner: owner)
      }
      #expect(try bench.state(of: push.id) == .cancelled)
      await gate.release()
      await #expect(throws: RPCError.cancelled) { try await answer.value }
    }
  }

  @Test("a repeated button press fails if another device decided otherwise")
  func button() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let push = JSON.string(try bench.push())
      let act = { @EventLoop @Sendable () async throws in
        _ = try await bench.approvals.act(.approve, on: push, method: "user", owner: Bench.owner)
      }
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) { try await act() }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      bench.platform.outcomes["p-1"] = .denied
      await bench.pass(.seconds(1))
      await #expect(throws: RPCError.alreadyAnswered(state: "denied")) { try await act() }
    }
  }
}
