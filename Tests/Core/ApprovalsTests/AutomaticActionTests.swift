import Approvals
import ControlAPI
import EventLoop
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing

extension Bench {
  fileprivate var entries: [String] {
    get throws { try auditEntries().map { "\($0.method) \($0.target ?? "-") \($0.outcome)" } }
  }
}

@Suite("Audit of automatic submissions", .timeLimit(.minutes(30)))
struct AutomaticActionTests {
  @Test("a silent push leaves an audit entry, answered or refused")
  func silent() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let push = try #require(try bench.receive(["type": "silent"]))
      await settle()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.deviceMismatch) }
      let other = try #require(try bench.receive(["type": "silent"]))
      await settle()
      #expect(
        try bench.entries == [
          "daemon.answerSilently \(push.id) ok", "daemon.answerSilently \(other.id) DEVICE_MISMATCH",
        ]
      )
    }
  }

  @Test("a late delivered answer leaves one audit entry after several attempts")
  func late() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let push = try #require(try bench.receive())
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) {
        try await bench.approve(push.id)
      }
      for _ in 0..<3 { await bench.pass(.seconds(5)) }
      #expect(try bench.entries.isEmpty)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(30))
      #expect(try bench.state(of: push.id) == .approved)
      #expect(try bench.entries == ["daemon.deliverAnswer \(push.id) ok"])
    }
  }

  @Test("a late delivered code decision leaves one audit entry, also after a crash")
  func lateCode() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let code = try await bench.codes.start("AB12CD34", owner: Bench.owner)
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) {
        try await bench.codes.approve(code.id, user: nil, owner: Bench.owner)
      }
      for _ in 0..<3 { await bench.pass(.seconds(5)) }
      try bench.crash()
      try await bench.approvals.resume()
      await bench.pass(.zero)
      #expect(try bench.entries.isEmpty)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(30))
      #expect(try bench.entries == ["daemon.deliverDecision \(code.id) ok"])
    }
  }
}
