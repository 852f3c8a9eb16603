import Approvals
import Configuration
import ControlAPI
import EventLoop
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing

extension Bench {
  func testPush(_ params: JSONObject = [:]) async throws -> PushTestReport {
    try await life.pushTests.run(DeviceTestPush(parsing: .object(params)), owner: Self.owner)
  }
}

extension PushTestReport {
  fileprivate subscript(_ name: Name) -> Result? { tests.first { $0.name == name }?.result.choice }
}

@Suite("push tests", .timeLimit(.minutes(30)))
struct PushTestTests {
  /// Makes the platform deliver the requested test push with the next poll.
  @EventLoop
  private static func deliver(_ bench: Bench) throws {
    let id = "test-\(bench.platform.calls.count)"
    let push = try bench.push(["type": "test", "jti": .string(id)])
    bench.platform.batches = [.success(PushBatch(pushes: [push], cursor: "c", hasMore: false))]
  }

  @Test("all tests pass when the test push arrives")
  func pass() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let report = EventLoop.task { try await bench.testPush() }
      await settle()
      try Self.deliver(bench)
      let tests = try await report.value
      #expect(tests.tests.map(\.name.choice) == PushTestReport.Name.allCases)
      #expect(tests.tests.filter { $0.result != .pass }.map(\.name) == [])
      #expect(tests.result == .pass)
      let shown = try #require(
        try bench.approvals.notifications(
          of: Bench.owner,
          state: nil,
          page: NotificationList(parsing: nil).page
        ).first
      )
      #expect(shown.kind == .test && shown.state != .pending && shown.answer == nil)
      #expect(try bench.pendingCount() == 0)
      await #expect(throws: RPCError.self) {
        try await bench.approvals.approve(shown.id, method: "user", number: nil, owner: Bench.owner)
      }
    }
  }

  @Test("a missing push fails the test after twenty seconds, and another test can start")
  func lost() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let report = EventLoop.task { try await bench.testPush() }
      await settle()
      await #expect(throws: RPCError.pushTestRunning) { try await bench.testPush() }
      await bench.pass(.seconds(20))
      let tests = try await report.value
      #expect((tests[.testPush], tests[.setPushPayloadToSDK], tests.result.choice) == (.pass, .fail, .fail))
      let next = EventLoop.task { try await bench.testPush().result }
      await settle()
      try Self.deliver(bench)
      #expect(try await next.value == .pass)
    }
  }

  @Test("an unreachable platform fails the tests with messages, and the guard is released")
  func failures() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      for _ in 0..<2 {
        let tests = try await bench.testPush()
        #expect(
          (tests[.connectivity], tests[.testPush], tests[.setPushPayloadToSDK]) == (.fail, .fail, .fail)
        )
        let infos = tests.tests.filter { $0.result != .pass }.map(\.info)
        #expect(infos.allSatisfy { $0?.isEmpty == false })
      }
    }
  }

  @Test("a test push is not requested if pushes are disallowed")
  func notAllowed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.allowPushes(false)
      let tests = try await bench.testPush()
      #expect(
        (tests[.allowNotification], tests[.backgroundSetting], tests.result.choice) == (.fail, .fail, .fail)
      )
      #expect(!bench.platform.calls.contains(.testPush))
    }
  }

  @Test("a test push submitted by another transport passes")
  func handedIn() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.setToken(["provider": "APNS", "token": "t", "environment": "sandbox"])
      let report = EventLoop.task { try await bench.testPush() }
      await settle()
      try bench.receive(["type": "test", "jti": .string("test-\(bench.platform.calls.count)")])
      let tests = try await report.value
      #expect((tests[.tokenType], tests[.setPushPayloadToSDK]) == (.warning, .pass))
      #expect(tests.result == .warning, "the worst counts")
    }
  }

  @Test("a push test is rejected without configuration or pairing, and in another geography")
  func refusals() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      await #expect(throws: RPCError.notConfigured) { try await bench.testPush() }
      _ = try await bench.devices.configure(.northAmerica, for: Bench.owner)
      await #expect(throws: RPCError.notPaired) { try await bench.testPush() }
      await #expect(throws: RPCError.notConfigured) { try await bench.testPush(["geo": "Europe"]) }
    }
  }
}
