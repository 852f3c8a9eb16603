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

  /// Changes what the platform knows of its only pairing.
  func changeRecord(_ change: (inout DeviceRecord) -> Void) throws {
    guard var record = platform.records[.northAmerica]?.first else { return }
    change(&record)
    platform.records[.northAmerica] = [record]
  }
}

@Suite("What the platforms know", .timeLimit(.minutes(30)))
struct InfoTests {
  @Test("who did not configure a geography has nothing to ask")
  func notConfigured() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      await #expect(throws: RPCError.notConfigured) { try await bench.report() }
      #expect(bench.platform.calls.isEmpty)
    }
  }

  @Test("the report has the device and its users")
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

  @Test("a platform that does not answer is an error among the answers of the others")
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

  @Test("a user whom the platform has unpaired is revoked, once, and their pushes are over")
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

  @Test("who is paired while the platform is asked is not taken for unpaired")
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

  @Test("a pairing that only the platform has is told and changes nothing here")
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

  @Test("name and lock follow the platform, and subscribers hear of it")
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

  @Test("those who ask at once are one question")
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

  @Test("the daemon asks by itself at the start, each day, and when the platform is back")
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
      // The poller tries again a second or more after a failure.
      while asked() < 4 { try await EventLoop.sleep(for: .milliseconds(10)) }
      await settle()
      #expect(asked() == 4)
    }
  }
}
