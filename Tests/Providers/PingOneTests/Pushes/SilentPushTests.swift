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
import Vault

@Suite("silent pushes", .timeLimit(.minutes(30)))
struct SilentPushTests {
  @EventLoop
  private static func pending(_ bench: Bench) throws -> [NotificationObject] {
    let page = try NotificationList(parsing: nil).page
    return try bench.approvals.notifications(of: Bench.owner, state: .pending, page: page)
  }

  @Test("a silent push is answered automatically and never shown as pending")
  func silent() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let push = try #require(try bench.receive(["type": "silent", "jti": "s"]))
      #expect(push.kind == .done && push.state == .sending)
      await settle()
      #expect(try Self.pending(bench).isEmpty)
      #expect(try bench.pendingCount() == 0)
      await gate.release()
      await gate.release()
      #expect(try bench.state(of: push.id) == .approved)
      #expect(
        bench.platform.decisions.map(\.claims) == [
          [
            "decision": "approve", "notification": "s", "authenticationMethod": "swk", "device": "d-1000",
            "iat": .int(bench.clock.now.seconds),
          ]
        ]
      )
      let states = bench.events.filter { $0.topic == .notification }.map { $0.payload["state"] }
      #expect(states == ["sending", "approved"])
    }
  }

  @Test("a polled silent push is answered once, after it is stored")
  func fetched() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let push = try bench.push(["type": "silent", "jti": "s"])
      bench.platform.batches = [.success(PushBatch(pushes: [push, push], cursor: "c", hasMore: false))]
      await settle()
      _ = try bench.pushes.process(.string(push), owner: Bench.owner)
      await settle()
      #expect(bench.platform.decisions.map(\.about) == ["s"])
      #expect(try bench.identity()?.cursor == "c")
    }
  }

  @Test("a silent push does not displace a pending push")
  func noPlace() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      let ids = try (0..<20).map { _ in try #require(try bench.receive()?.id) }
      for _ in 0..<5 { try bench.receive(["type": "silent"]) }
      await settle()
      #expect(try Self.pending(bench).map(\.id) == ids.reversed())
    }
  }

  @Test("a silent push that has expired by the platform's clock is not answered")
  func over() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let now = bench.clock.now.seconds
      @EventLoop func receive(_ id: JSON, expiringIn seconds: Int) throws -> NotificationObject? {
        try bench.receive([
          "type": "silent", "jti": id, "iat": .int(now - 50), "exp": .int(now + seconds), "timeout": 40,
        ])
      }
      let over = try #require(try receive("over", expiringIn: -1))
      #expect(over.state == .expired && over.kind == .done)
      #expect(try receive("now", expiringIn: 0)?.state == .expired)

      // This machine's clock is 30 s ahead of the platform's.
      let identity = try #require(try bench.identity())
      bench.devices.platform(identity.url).clockOffset = -30
      let alive = try #require(try receive("alive", expiringIn: -20))
      #expect(alive.timeoutDuration == 10)
      bench.devices.platform(identity.url).clockOffset = 30
      #expect(try receive("late", expiringIn: 20)?.state == .expired)
      await settle()
      #expect(bench.platform.decisions.map(\.about) == ["alive"])
      #expect(bench.timers.delays == [.seconds(10)])
    }
  }

  @Test("a failed answer is repeated until the platform's expiry of the push")
  func repeated() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let now = bench.clock.now.seconds
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      let heard = try #require(
        try bench.receive(["type": "silent", "jti": "heard", "exp": .int(now + 30)])?.id
      )
      await settle()
      await bench.pass(.seconds(1))
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(2))
      #expect(try bench.state(of: heard) == .approved)

      bench.platform.weather = { (_, _) throws(PlatformError) in throw .brokenDown }
      let unheard = try #require(
        try bench.receive(["type": "silent", "exp": .int(bench.clock.now.seconds + 30), "timeout": 600])?.id
      )
      for _ in 0..<30 { await bench.pass(.seconds(1)) }
      #expect(try bench.state(of: unheard) == .expired)
      let calls = bench.platform.calls.count
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(600))
      #expect(bench.platform.calls.count == calls)
      #expect(bench.platform.decisions.map(\.about) == ["heard"])
    }
  }

  @Test("an answer that the platform refuses expires the silent push")
  func refused() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      for error in [.refused(.failedPolicy), .refused(.accountLocked)] as [PlatformError] {
        bench.platform.weather = { (call, _) throws(PlatformError) in
          if case .answer = call { throw error }
        }
        let id = try #require(try bench.receive(["type": "silent"])?.id)
        await settle()
        #expect(try bench.state(of: id) == .expired)
        #expect(try Self.pending(bench).isEmpty)
        await #expect(throws: RPCError.pushTimeout) { try await bench.approve(id) }
      }
    }
  }

  @Test("an answer in flight at a crash is sent after the restart")
  func crash() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive(["type": "silent", "jti": "s"])?.id)
      await settle()
      gate.abandon()
      try bench.crash()
      #expect(try bench.state(of: id) == .sending)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try await bench.approvals.resume()
      await bench.pass(.zero)
      #expect(try bench.state(of: id) == .approved)
      #expect(bench.platform.decisions.map(\.about) == ["s"])
    }
  }

  @Test("each silent push has an audit entry with its outcome")
  func audit() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let taken = try #require(try bench.receive(["type": "silent"])?.id)
      await settle()
      bench.platform.outcomes["elsewhere"] = .cancelled
      let cancelled = try #require(try bench.receive(["type": "silent", "jti": "elsewhere"])?.id)
      await settle()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.failedPolicy) }
      let refused = try #require(try bench.receive(["type": "silent"])?.id)
      await settle()
      let entries = try bench.audit.entries(of: Bench.owner, page: AuditList(parsing: nil).page)
        .filter { $0.method == "daemon.answerSilently" }
      #expect(entries.map(\.target) == [refused, cancelled, taken])
      #expect(entries.map(\.outcome) == ["FAILED_POLICY_REQUIREMENTS", "AUTH_CANCEL", "ok"])
    }
  }

  @Test("require_number does not apply to silent pushes")
  func number() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nrequire_number = yes")
      try await bench.pair()
      let id = try #require(try bench.receive(["type": "silent"])?.id)
      await settle()
      #expect(try bench.state(of: id) == .approved)
    }
  }

  @Test("an owner cannot decide a silent push")
  func owner() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform)
      let id = try #require(try bench.receive(["type": "silent"])?.id)
      await #expect(throws: RPCError.alreadyAnswered(state: "sending")) { try await bench.deny(id) }
      await settle()
      await gate.release()
      await gate.release()
      await #expect(throws: RPCError.alreadyAnswered(state: "approved")) { try await bench.deny(id) }
    }
  }
}
