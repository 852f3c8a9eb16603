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
import Vault

@testable import Approvals

extension Bench {
  fileprivate func stored(_ id: String) throws -> ApprovalRequest.State {
    try life.approvals.request(id, of: Self.owner).state
  }

  /// Number of decisions submitted to the platform.
  fileprivate var answers: Int {
    platform.calls.count { if case .answer = $0 { true } else { false } }
  }
}

@Suite("Platform replies that cannot be stored", .timeLimit(.minutes(30)))
struct StoringTests {
  @Test("an accepted decision is stored later and not submitted again")
  func accepted() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      try bench.vault.failCommitsOfEnds()
      await #expect(throws: SQLiteError.self) { try await bench.approve(id) }
      // Until then the same decision gets the storage error, and the opposite one is refused.
      await #expect(throws: SQLiteError.self) { try await bench.approve(id) }
      await #expect(throws: RPCError.alreadyAnswered(state: "sending")) { try await bench.deny(id) }
      for _ in 0..<3 { await bench.pass(.seconds(8)) }
      #expect(try bench.stored(id) == .sending)
      try bench.vault.mendCommits()
      await bench.pass(.seconds(30))
      #expect(try bench.stored(id) == .approved)
      #expect(bench.answers == 1 && bench.platform.decisions.count == 1)
      #expect(bench.approvals.delivery.unsettled.isEmpty)
    }
  }

  @Test("a wrong number costs one try if its reply is not stored")
  func wrongNumber() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let push = try #require(try bench.receive(["numberMatching": ["type": "ENTER_MANUALLY"]]))
      bench.platform.numbers["p-1"] = 42
      try bench.vault.failCommitsOfEnds()
      await #expect(throws: SQLiteError.self) { try await bench.approve(push.id, number: 7) }
      await bench.pass(.seconds(1))
      try bench.vault.mendCommits()
      await bench.pass(.seconds(30))
      #expect(try bench.stored(push.id) == .pending)
      #expect(bench.platform.tries == 2 && bench.platform.decisions.count == 1)
      #expect(try await bench.approve(push.id, number: 42).notification.state == .approved)
    }
  }

  @Test("a refusal that is not stored is not submitted again")
  func refusal() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.failedPolicy) }
      try bench.vault.failCommitsOfEnds()
      await #expect(throws: SQLiteError.self) { try await bench.approve(id) }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(1))
      try bench.vault.mendCommits()
      await bench.pass(.seconds(30))
      #expect(try bench.stored(id) == .pending)
      #expect(bench.platform.decisions.isEmpty)
    }
  }

  @Test("an accepted decision is valid even if the push expires before it is stored")
  func late() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      try bench.vault.failCommitsOfEnds()
      await #expect(throws: SQLiteError.self) { try await bench.approve(id) }
      for _ in 0..<5 { await bench.pass(.seconds(30)) }
      #expect(try bench.stored(id) == .sending)
      try bench.vault.mendCommits()
      await bench.pass(.seconds(30))
      #expect(try bench.stored(id) == .approved)
      #expect(bench.platform.decisions.count == 1)
    }
  }

  @Test("a status that is not stored after a restart is not requested again")
  func standing() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) { try await bench.approve(id) }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      bench.platform.outcomes["p-1"] = .approved
      try bench.crash()
      try bench.vault.failCommitsOfEnds()
      try await bench.approvals.resume()
      await bench.pass(.seconds(5))
      #expect(try bench.stored(id) == .sending)
      try bench.vault.mendCommits()
      await bench.pass(.seconds(30))
      #expect(try bench.stored(id) == .approved)
      #expect(bench.platform.decisions.isEmpty)
    }
  }

  @Test("an expiry that cannot be stored is shown at once and stored later")
  func end() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      try bench.vault.failCommitsOfEnds()
      await bench.pass(.seconds(120))
      bench.clock.set(bench.clock.now.adding(seconds: -7200))
      #expect(try bench.stored(id) == .pending && bench.state(of: id) == .expired)
      await #expect(throws: RPCError.pushTimeout) { try await bench.approve(id) }
      try bench.vault.mendCommits()
      await bench.pass(.seconds(30))
      #expect(try bench.stored(id) == .expired)
      #expect(bench.events.last?.payload["state"] == "expired")
      #expect(bench.timers.delays.isEmpty && bench.approvals.deadlines.isEmpty)
    }
  }

  @Test("a push with a wrong number in flight at its deadline expires")
  func wrongAtTheEnd() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let push = try #require(try bench.receive(["numberMatching": ["type": "ENTER_MANUALLY"]]))
      bench.platform.numbers["p-1"] = 42
      let gate = Gate(bench.platform) { call, moment in call == .answer("p-1") && moment == .reply }
      let approval = EventLoop.task { try await bench.approve(push.id, number: 7) }
      await settle()
      await bench.pass(.seconds(120))
      await gate.release()
      await #expect(throws: RPCError.self) { try await approval.value }
      await bench.pass(.zero)
      #expect(try bench.stored(push.id) == .expired)
    }
  }
}
