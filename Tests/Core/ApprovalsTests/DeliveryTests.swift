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
import Vault

@testable import Approvals

/// The kinds of requests, which use the same delivery of decisions.
private enum Thing: CaseIterable {
  case push, code
}

extension Bench {
  /// Returns the id of a new pending request.
  fileprivate func request(_ thing: Thing) async throws -> String {
    switch thing {
    case .push: try #require(try receive(["jti": "r-1"])?.id)
    case .code: try await startCode().id
    }
  }

  fileprivate func decide(_ thing: Thing, _ id: String, approves: Bool = true) async throws {
    switch (thing, approves) {
    case (.push, true): _ = try await approve(id)
    case (.push, false): _ = try await deny(id)
    case (.code, true): _ = try await approveCode(id)
    case (.code, false): _ = try await denyCode(id)
    }
  }

  fileprivate func stored(_ id: String) throws -> ApprovalRequest.State {
    try life.approvals.request(id, of: Self.owner).state
  }

  fileprivate func gate(_ thing: Thing, _ moment: TestPlatform.Moment) -> PlatformGate {
    Gate(platform) { $0 == (thing == .push ? .answer("r-1") : .answerCode("r-1")) && $1 == moment }
  }

  /// Makes the device key unreadable for the next run and returns a closure that restores it.
  fileprivate func damageKeys() throws -> @EventLoop () throws -> Void {
    try life.vault.commit()
    let database = try Database(path: statePath + "/mfad.db")
    let key = try #require(
      try database.row("SELECT key_id, device_key FROM identity_key") {
        ($0.text("key_id"), $0.blob("device_key"))
      }
    )
    try database.run("UPDATE identity_key SET device_key = zeroblob(60) WHERE key_id = ?", .text(key.0))
    return {
      try database.run("UPDATE identity_key SET device_key = ? WHERE key_id = ?", .blob(key.1), .text(key.0))
    }
  }
}

@Suite("Delivery of decisions on pushes and codes", .timeLimit(.minutes(30)))
struct DeliveryTests {
  @Test(
    "a decision stays and is submitted again after a local error",
    arguments: Thing.allCases
  )
  fileprivate func ownError(thing: Thing) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.request(thing)
      let repair = try bench.damageKeys()
      try bench.crash()
      let error = RPCError.storage(.corrupt)
      await #expect(throws: error) { try await bench.decide(thing, id) }
      #expect(try bench.stored(id) == .sending)
      await #expect(throws: RPCError.self, "it was decided") {
        try await bench.decide(thing, id, approves: false)
      }
      await bench.pass(.seconds(1))
      #expect(try bench.stored(id) == .sending)
      #expect(bench.platform.decisions.isEmpty)
      try repair()
      await bench.pass(.seconds(2))
      #expect(try bench.stored(id) == .approved)
      #expect(bench.platform.decisions.map { $0.claims["decision"] } == ["approve"])
    }
  }

  @Test("a refusal reverts the decision, and the opposite can be decided", arguments: Thing.allCases)
  fileprivate func refusal(thing: Thing) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.request(thing)
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.failedPolicy) }
      await #expect(throws: RPCError.failedPolicy) { try await bench.decide(thing, id) }
      #expect(try bench.stored(id) == .pending)
      #expect(try bench.approvals.request(id, of: Bench.owner).decision == nil)
      #expect(bench.timers.delays.count == 1, "its end, and no attempt")
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try await bench.decide(thing, id, approves: false)
      #expect(try bench.stored(id) == .denied)
      #expect(bench.platform.decisions.map { $0.claims["decision"] } == ["deny"])
    }
  }

  @Test(
    "a clock error does not revert a decision that the platform may have received",
    arguments: Thing.allCases
  )
  fileprivate func wrongClock(thing: Thing) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.request(thing)
      bench.platform.weather = { (_, moment) throws(PlatformError) in
        if moment == .reply { throw .outOfReach }
      }
      await #expect(throws: PlatformError.outOfReach) { try await bench.decide(thing, id) }
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .clockOff(by: 86_400) }
      await #expect(throws: PlatformError.clockOff(by: 86_400)) { try await bench.decide(thing, id) }
      #expect(try bench.stored(id) == .sending)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(5))
      #expect(try bench.stored(id) == .approved)
    }
  }

  @Test(
    "erasing an owner fails decisions in flight at once and stores nothing",
    arguments: Thing.allCases,
    [TestPlatform.Moment.request, .reply]
  )
  fileprivate func erased(thing: Thing, moment: TestPlatform.Moment) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.request(thing)
      let gate = bench.gate(thing, moment)
      let decision = EventLoop.task { try await bench.decide(thing, id) }
      await settle()
      #expect(gate.held.count == 1)
      try await bench.owners.erase(Bench.owner)
      let heard = bench.events.count
      // The platform has not responded yet.
      await #expect(throws: (any Error).self) { try await decision.value }
      await gate.release()
      await bench.pass(.seconds(700))
      #expect(bench.events.count == heard)
      #expect(bench.approvals.deadlines.isEmpty && bench.approvals.delivery.unsettled.isEmpty)
      try bench.vault.commit()
      let left = try bench.vault.database.row(
        "SELECT (SELECT count(*) FROM approval) + (SELECT count(*) FROM seen) + (SELECT count(*) FROM owner)"
      ) { $0.int(0) }
      #expect(left == 0)
    }
  }

  @Test("erasing an owner does not affect another owner's decision in flight", arguments: Thing.allCases)
  fileprivate func others(thing: Thing) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.pair(7)
      let id = try await bench.request(thing)
      let gate = bench.gate(thing, .reply)
      let decision = EventLoop.task { try await bench.decide(thing, id) }
      await settle()
      try await bench.owners.erase(7)
      await gate.release()
      try await decision.value
      #expect(try bench.stored(id) == .approved)
    }
  }
}
