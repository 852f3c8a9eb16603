import Accounts
import Configuration
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

extension Bench {
  func report() async throws -> DeviceReport { try await life.reports.report(of: Self.owner) }

  var onlyAccount: Account? {
    get throws { try life.accounts.list(of: Self.owner).first }
  }

  /// Changes the platform's record of its only pairing.
  func changeRecord(_ change: (inout DeviceRecord) -> Void) throws {
    guard var record = platform.records[.northAmerica]?.first else { return }
    change(&record)
    platform.records[.northAmerica] = [record]
  }
}

@Suite("device reports of the platforms", .timeLimit(.minutes(30)))
struct InfoTests {
  @Test("a report without a configured geography sends no request")
  func notConfigured() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      await #expect(throws: RPCError.notConfigured) { try await bench.report() }
      #expect(bench.platform.calls.isEmpty)
    }
  }

  @Test("a report contains the device and its users")
  func report() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      _ = try await bench.devices.configure(.northAmerica, for: Bench.owner)
      let empty = try await bench.report()
      #expect(empty.geos.map(\.deviceID) == ["d-1000"])
      #expect(empty.geos.map(\.users.count) == [0])
      try await bench.pair()
      let users = try await bench.report().geos.first?.users
      #expect(users?.map(\.user.username) == ["ann"])
      #expect(users?.map(\.environment.id) == ["e-1"])
    }
  }

  @Test("an unreachable platform is reported as an error beside the other results")
  func errors() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.pairing.geography = .europe
      bench.platform.pairing.user = User(id: "u-2", username: "eve")
      try await bench.pair()
      let both = try await bench.report()
      #expect(Set(both.geos.map(\.geography.choice)) == [.northAmerica, .europe])
      bench.platform.weather = { (call, _) throws(PlatformError) in
        if call == .info(.europe) { throw .brokenDown }
      }
      let one = try await bench.report()
      #expect(one.geos.map(\.geography) == [.known(.northAmerica)])
      #expect(one.errors.map(\.geography) == [.known(.europe)])
      #expect(one.errors.map(\.code) == [RPCError.serverError.code])
      #expect(try bench.accounts.list(of: Bench.owner).map(\.state) == [.known(.active), .known(.active)])
    }
  }

  @Test("a user that the platform has unpaired is revoked once, and pending pushes are cancelled")
  func unpaired() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let push = try #require(try bench.receive()?.id)
      bench.platform.records = [:]
      _ = try await bench.report()
      #expect(try bench.onlyAccount?.state == .revoked)
      #expect(try bench.state(of: push) == .cancelled)
      let events = bench.events.filter { $0.topic == .account }.count
      _ = try await bench.report()
      #expect(bench.events.filter { $0.topic == .account }.count == events)
    }
  }

  @Test("a user paired during the request is not revoked")
  func meanwhile() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      _ = try await bench.devices.configure(.northAmerica, for: Bench.owner)
      let gate = Gate(bench.platform) { call, moment in call == .info(.northAmerica) && moment == .reply }
      let report = EventLoop.task { try await bench.report() }
      await settle()
      try await bench.pair()
      await gate.release()
      #expect(try await report.value.geos.first?.users.isEmpty == true)
      #expect(try bench.onlyAccount?.state == .active)
    }
  }

  @Test("a pairing known only to the platform is reported and changes nothing locally")
  func foreign() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let stranger = DeviceRecord(
        user: User(id: "u-9"),
        environment: "e-1",
        device: "d-9",
        isPushEnabled: true
      )
      bench.platform.records[.northAmerica]?.append(stranger)
      #expect(try await bench.report().geos.first?.users.map(\.user.id) == ["u-1", "u-9"])
      #expect(try bench.accounts.list(of: Bench.owner).count == 1)
    }
  }

  @Test("nickname and lock follow the platform and raise events")
  func following() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let end = bench.clock.now.adding(seconds: 60)
      try bench.changeRecord {
        $0.device.nickname = "desk"
        $0.device.lock = AccountLock(policy: "push limit", expiresAt: end)
      }
      _ = try await bench.report()
      #expect(try bench.onlyAccount?.nickname == "desk")
      #expect(try bench.onlyAccount?.lock != nil)
      let event = try #require(bench.events.last { $0.topic == .account })
      #expect((event.payload["nickname"], event.payload["locked"]) == ("desk", true))
      await bench.pass(.seconds(61))
      #expect(try bench.onlyAccount?.lock == nil)
      try bench.changeRecord {
        $0.device.nickname = nil
        $0.device.lock = nil
      }
      _ = try await bench.report()
      #expect(try bench.onlyAccount?.nickname == nil)
    }
  }

  @Test("concurrent callers share one request")
  func coalescing() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform) { call, moment in call == .info(.northAmerica) && moment == .request }
      let first = EventLoop.task { try await bench.report().geos.count }
      let second = EventLoop.task { try await bench.report().geos.count }
      await settle()
      #expect(gate.held.count == 1)
      await gate.release()
      #expect(try await (first.value, second.value) == (1, 1))
    }
  }

  @Test("a report runs at start, daily and when the platform is reachable again")
  func schedule() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let asked = { bench.platform.calls.filter { $0 == .info(.northAmerica) }.count }
      #expect(asked() == 0)
      bench.reports.start()
      await settle()
      #expect(asked() == 1)
      await bench.pass(.seconds(86_399))
      #expect(asked() == 1)
      await bench.pass(.seconds(1))
      #expect(asked() == 2)
      await bench.pass(.seconds(86_400))
      #expect(asked() == 3)
      bench.platform.batches = [
        .failure(.outOfReach), .success(PushBatch(pushes: [], cursor: "c", hasMore: false)),
      ]
      // The poller retries a second or more after a failure.
      while asked() < 4 { try await EventLoop.sleep(for: .milliseconds(10)) }
      await settle()
      #expect(asked() == 4)
    }
  }
}
