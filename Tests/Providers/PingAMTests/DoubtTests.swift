import AMEnrolments
import Accounts
import Approvals
import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@testable import PingAM

@Suite("answers that a PingAM server may have received", .timeLimit(.minutes(30)))
struct DoubtTests {
  private static func error(_ body: () async throws -> NotificationResult) async -> RPCError? {
    do {
      _ = try await body()
      return nil
    } catch { return RPCError(naming: error) }
  }

  /// Denies the push while the server is unreachable.
  @EventLoop
  private static func denyUnheard(
    _ bench: AMBench,
    _ push: String,
    _ failure: CourierFailure = .timeout
  ) async {
    bench.answer = { _ throws(CourierFailure) in throw failure }
    #expect(await error { try await bench.deny(push) }?.code == RPCError.noConnectivity.code)
  }

  @Test(
    "an error of a proxy does not revert a decision that the server may have received",
    arguments: [302, 401, 403, 404]
  )
  func before(status: Int) async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push())
      await Self.denyUnheard(bench, push.id)
      bench.answer = { _ throws(CourierFailure) in .refused(status) }
      await bench.pass(.seconds(1))
      #expect(try bench.state(of: push.id) == .sending)
      #expect(await Self.error { try await bench.approve(push.id) }?.code == RPCError.alreadyAnswered.code)
      bench.answer = { _ throws(CourierFailure) in .taken }
      await bench.pass(.seconds(30))
      #expect(try bench.state(of: push.id) == .denied)
      // If no earlier request can have arrived, the same response reverts the decision.
      let next = try bench.receive(try bench.push(id: "AUTHENTICATE:2"))
      bench.answer = { _ throws(CourierFailure) in .refused(status) }
      #expect(await Self.error { try await bench.deny(next.id) }?.code == RPCError.serverError.code)
      #expect(try bench.state(of: next.id) == .pending)
    }
  }

  @Test("an account locked by policy does not revert a decision that the server may have received")
  func closedMeanwhile() async throws {
    try await AMBench.run { bench in
      let policies = AMSample.encoded(#"{"deviceTampering":{"score":0.5}}"#)
      _ = try await bench.enrol(AMSample.uri(["policies": policies]))
      let mechanism = try #require(bench.life.am.active(of: AMBench.owner).first).mechanism
      let push = try bench.receive(try bench.push(["u": .string(mechanism)]))
      let before = bench.requests.count
      await Self.denyUnheard(bench, push.id)
      bench.answer = { _ throws(CourierFailure) in .taken }
      bench.facts.tampering = 1
      await bench.pass(.seconds(1))
      #expect(try bench.state(of: push.id) == .sending && bench.requests.count == before + 1)
      bench.facts.tampering = 0
      await bench.pass(.seconds(30))
      #expect(try bench.state(of: push.id) == .denied)
    }
  }

  @Test("a second decision before resumption does not revert one that the server may have received")
  func beforeResuming() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push())
      await Self.denyUnheard(bench, push.id)
      try bench.crash()
      bench.answer = { _ throws(CourierFailure) in .refused(400) }
      #expect(await Self.error { try await bench.deny(push.id) }?.code == RPCError.pushTimeout.code)
      #expect(try bench.state(of: push.id) == .expired)
    }
  }

  @Test("a clock change does not revert a decision that the server may have received")
  func clockSet() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push())
      await Self.denyUnheard(bench, push.id)
      bench.clock.set(bench.clock.now.adding(seconds: 86_400))
      let other = try bench.receive(try bench.push(id: "AUTHENTICATE:2"))
      #expect(await Self.error { try await bench.deny(other.id) }?.code == RPCError.noConnectivity.code)
      bench.answer = { _ throws(CourierFailure) in .refused(400) }
      await bench.pass(.seconds(1))
      #expect(try bench.state(of: push.id) == .expired)
    }
  }

  @Test("a decision that waits for the owner's PIN is sent after unlocking")
  func unlocked() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push())
      await Self.denyUnheard(bench, push.id, .unreachable)
      try await bench.life.lock.set("280491", current: nil, owner: AMBench.owner)
      let before = bench.requests.count
      bench.answer = { _ throws(CourierFailure) in .taken }
      for _ in 0..<4 { await bench.pass(.seconds(8)) }
      #expect(try bench.state(of: push.id) == .sending && bench.requests.count == before)
      _ = try await bench.life.lock.unlock("280491", seconds: 300, owner: AMBench.owner)
      await bench.pass(.zero)
      #expect(try bench.state(of: push.id) == .denied && bench.requests.count == before + 1)
    }
  }
}
