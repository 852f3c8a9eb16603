import Accounts
import Approvals
import ControlAPI
import EventLoop
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing
import Vault

/// An approver that refuses the first decision and runs a closure in the loop iteration of the reversal.
@EventLoop
private final class Refusing: Approver {
  nonisolated var name: String { "pingone.push" }
  private let meanwhile: @EventLoop @Sendable () async -> Void
  private(set) var heard: [Decision] = []

  init(_ meanwhile: @escaping @EventLoop @Sendable () async -> Void) { self.meanwhile = meanwhile }

  func submit(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    heard.append(decision)
    guard heard.count == 1 else { return .accepted() }
    EventLoop.beforeLeaving { [meanwhile] in EventLoop.task(meanwhile) }
    throw Refusal(.failedPolicy)
  }

  func status(of request: ApprovalRequest) async throws -> RemoteStatus? { nil }
}

@Suite("Reverted decisions", .timeLimit(.minutes(30)))
struct TakenBackTests {
  @Test("a decision made before the reversal is stored is refused, not lost")
  func sameTurn() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      var second: RPCError?
      let refusing = Refusing {
        do { _ = try await bench.deny(id) } catch { second = RPCError(naming: error) }
      }
      bench.approvals.register(refusing)
      await #expect(throws: RPCError.failedPolicy) { try await bench.approve(id) }
      await settle()
      #expect(second == .alreadyAnswered(state: "sending"))
      #expect(try bench.state(of: id) == .pending)
      #expect(try await bench.deny(id).notification.state == .denied)
      #expect(refusing.heard.map(\.isApproval) == [true, false])
    }
  }

  @Test(
    "a push cancelled during a refused decision ends cancelled, also after a crash",
    arguments: [false, true]
  )
  func takenBackMeanwhile(restarts: Bool) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive(["jti": "a"])?.id)
      bench.platform.weather = { (_, _) throws(PlatformError) in
        // The push stays in sending while the decision may succeed.
        #expect((try? bench.receive(["type": "cancel", "cancels": "a"]))?.state == .sending)
        throw restarts ? .outOfReach : .refused(.failedPolicy)
      }
      if restarts {
        await #expect(throws: PlatformError.outOfReach) { try await bench.approve(id) }
        #expect(try bench.state(of: id) == .sending)
        try bench.crash()
        bench.platform.weather = { (call, _) throws(PlatformError) in
          if case .answer = call { throw .refused(.failedPolicy) }
        }
        try await bench.approvals.resume()
        for _ in 0..<3 { await bench.pass(.seconds(5)) }
      } else {
        await #expect(throws: RPCError.failedPolicy) { try await bench.approve(id) }
      }
      #expect(try bench.state(of: id) == .cancelled)
    }
  }

  @Test("a PIN for a reverted decision is not used for the next one")
  func presence() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      try await bench.lock.set("280491", current: nil, owner: Bench.owner)
      let id = try #require(try bench.receive()?.id)
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      let verified = { @EventLoop @Sendable () async throws in
        _ = try await bench.approvals.presence.verifying(.pin("280491"), of: Bench.owner) {
          try await bench.approve(id)
        }
      }
      await #expect(throws: PlatformError.outOfReach) { try await verified() }
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.failedPolicy) }
      await #expect(throws: RPCError.failedPolicy) { try await verified() }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await #expect(throws: RPCError.locked) { try await bench.approve(id) }
      for _ in 0..<3 { await bench.pass(.seconds(5)) }
      #expect(bench.platform.decisions.isEmpty)
      // After the reversal, a new decision requires the PIN again.
      try await verified()
      #expect(bench.platform.decisions.map { $0.claims["authenticationMethod"] } == ["pin"])
    }
  }
}
