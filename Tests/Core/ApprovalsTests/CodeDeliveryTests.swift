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

extension Bench {
  fileprivate var code: AuthenticationObject? {
    get throws { try life.codes.list(of: Self.owner).first }
  }

  fileprivate var statuses: [JSON?] {
    events.filter { $0.topic == .authentication }.map { $0.payload["status"] }
  }
}

@Suite("Delivery of decisions on codes", .timeLimit(.minutes(30)))
struct CodeDeliveryTests {
  @Test("an undelivered decision is retried with back-off until delivered")
  func repeated() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.startCode().id
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) { try await bench.approveCode(id) }
      var distances: [Duration] = []
      while let next = bench.timers.delays.first, distances.count < 6 {
        #expect(bench.timers.delays.count == 2, "the end of the code, and one attempt")
        distances.append(next)
        await bench.pass(next)
      }
      #expect(distances == [1, 2, 4, 8, 16, 30].map { .seconds($0) })
      // A repeated call does not start a second series of attempts.
      await #expect(throws: PlatformError.outOfReach) { try await bench.approveCode(id) }
      #expect(bench.timers.delays.count == 2)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(30))
      #expect(try bench.code?.status == .completed)
      #expect(bench.platform.decisions.count == 1)
      #expect(bench.statuses == ["CLAIMED", "COMPLETED"])
    }
  }

  @Test("an interrupted decision is delivered after a crash, received or not")
  func restart() async throws {
    for moment in [TestPlatform.Moment.request, .reply] {
      try await TestLoop.run {
        let bench = try Bench()
        try await bench.pair()
        let id = try await bench.startCode().id
        let gate = Gate(bench.platform) { call, when in call == .answerCode("r-1") && when == moment }
        let approval = EventLoop.task { try await bench.approveCode(id) }
        await settle()
        #expect(gate.held.count == 1)
        gate.abandon()
        bench.platform.weather = { (_, _) throws(PlatformError) in }
        try bench.crash()
        try await bench.approvals.resume()
        await bench.pass(.zero)
        #expect(try bench.code?.status == .completed)
        #expect(bench.statuses.last == "COMPLETED")
        #expect(bench.platform.decisions.allSatisfy { $0.claims["decision"] == "approve" })
        approval.cancel()
      }
    }
  }

  @Test("an undecided code expires by the monotonic clock")
  func expiry() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.code.lifetime = 30
      let id = try await bench.startCode().id
      bench.clock.set(bench.clock.now.adding(seconds: 3600))
      #expect(try bench.code?.status == .claimed)
      await bench.pass(.seconds(29))
      #expect(try bench.code?.status == .claimed)
      await bench.pass(.seconds(1))
      #expect(bench.statuses == ["CLAIMED", "EXPIRED"])
      bench.clock.set(bench.clock.now.adding(seconds: -7200))
      #expect(try bench.code?.status == .expired)
      await #expect(throws: RPCError.expired) { try await bench.approveCode(id) }
      #expect(bench.platform.decisions.isEmpty)
    }
  }

  @Test("an undelivered decision expires with the code and is not retried")
  func unheard() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.startCode().id
      let gate = Gate(bench.platform) { call, _ in call == .answerCode("r-1") }
      let approval = EventLoop.task { try await bench.approveCode(id) }
      await settle()
      await bench.pass(.seconds(120))
      #expect(try bench.code?.status == .claimed, "the platform is hearing it")
      await gate.release(.outOfReach)
      await #expect(throws: PlatformError.outOfReach) { try await approval.value }
      await bench.pass(.zero)
      #expect(bench.statuses == ["CLAIMED", "EXPIRED"])
      await bench.pass(.seconds(60))
      #expect(bench.platform.decisions.isEmpty)
    }
  }

  @Test("a decision that the platform accepts while the code expires is valid")
  func acceptedLate() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.startCode().id
      let gate = Gate(bench.platform) { call, when in call == .answerCode("r-1") && when == .reply }
      let approval = EventLoop.task { try await bench.approveCode(id) }
      await settle()
      await bench.pass(.seconds(120))
      await gate.release()
      #expect(try await approval.value == .completed)
      #expect(bench.statuses == ["CLAIMED", "COMPLETED"])
    }
  }

  @Test("a code that expired before a restart is expired after it")
  func overBefore() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.startCode().id
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) { try await bench.approveCode(id) }
      bench.clock.pass(.seconds(120))
      try bench.crash()
      #expect(try bench.code?.status == .expired)
      try await bench.approvals.resume()
      await bench.pass(.zero)
      #expect(bench.statuses.last == "EXPIRED")
      #expect(bench.timers.delays.isEmpty)
      await #expect(throws: RPCError.expired) { try await bench.approveCode(id) }
    }
  }

  @Test("a reply that cannot be stored is stored later without a new request")
  func storeBusy() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try await bench.startCode().id
      let gate = Gate(bench.platform) { call, when in call == .answerCode("r-1") && when == .reply }
      let approval = EventLoop.task { try await bench.approveCode(id) }
      await settle()
      let other = try Database(path: bench.statePath + "/mfad.db")
      try other.run("BEGIN IMMEDIATE")
      await gate.release()
      await #expect(throws: SQLiteError.self) { try await approval.value }
      try other.run("ROLLBACK")
      await bench.pass(.seconds(1))
      #expect(gate.held.isEmpty && bench.platform.decisions.count == 1)
      #expect(try bench.code?.status == .completed)
    }
  }
}
