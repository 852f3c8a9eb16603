import Accounts
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
import WebAddress

@testable import SelfService

@Suite("consistency of local accounts with the tenant's devices", .timeLimit(.minutes(30)))
struct SettlingTests {
  private static let made: JSON = [
    "id": "d-1", "type": "TOTP", "status": "ACTIVATION_REQUIRED",
    "secret": "2ZHHQO4EP3TF3C7OIU6G2WI2XLQDU6UR",
  ]
  private static let active: JSON = ["id": "d-1", "type": "TOTP", "status": "ACTIVE"]
  private static let add = DeviceOrders(add: [.totp])
  private static let look = DeviceOrders(lists: true)

  /// A tenant that creates a device, accepts its passcode and lists the given devices.
  private static func tenant(
    listing devices: [JSON] = [],
    one: CourierResponse = .json(404, [:])
  ) -> @EventLoop (CourierRequest) throws(CourierFailure) -> CourierResponse {
    { request throws(CourierFailure) in
      let isList = request.url.text == TenantBench.base
      return switch request.method {
      case .get: isList ? .json(200, ["_embedded": ["devices": .array(devices)]]) : one
      case .post: isList ? .json(201, made) : .json(200, ["status": "ACTIVE"])
      default: .json(204, [:])
      }
    }
  }

  /// A bench with an account and its active device.
  @EventLoop
  private static func bench() async throws -> TenantBench {
    let bench = try TenantBench()
    bench.answer = tenant()
    #expect(try await bench.signOn(add).added.count == 1)
    return bench
  }

  @Test("an account missing in the device list is kept if its device still exists")
  func incompleteList() async throws {
    try await TestLoop.run {
      let bench = try await Self.bench()
      bench.answer = Self.tenant(one: .json(200, Self.active))
      #expect(try await bench.signOn(Self.look).problems.isEmpty)
      #expect(bench.asked.contains("GET \(TenantBench.base)/d-1"))
      #expect(try bench.accounts.map(\.state) == [.known(.active)])
      // A tenant that cannot be queried does not report that the device is gone.
      bench.answer = Self.tenant(one: .json(503, [:]))
      #expect(try await bench.signOn(Self.look).problems.map(\.subject) == ["TOTP"])
      #expect(try bench.accounts.map(\.state) == [.known(.active)])
      bench.answer = Self.tenant()
      _ = try await bench.signOn(Self.look)
      #expect(try bench.accounts.map(\.state) == [.known(.revoked)])
    }
  }

  @Test("an unfinished account missing in the device list is kept if its device exists")
  func incompleteListOfUnfinished() async throws {
    try await TestLoop.run {
      let bench = try TenantBench()
      let whole = Self.tenant()
      bench.answer = { request throws(CourierFailure) in
        if request.url.text.hasSuffix("/d-1") { throw .timeout }
        return try whole(request)
      }
      #expect(try await bench.signOn(Self.add).added.isEmpty)
      bench.answer = Self.tenant(one: .json(200, Self.made))
      let outcome = try await bench.signOn(Self.add)
      #expect(outcome.added.count == 1 && outcome.problems.isEmpty)
      #expect(bench.asked.count { $0 == "POST \(TenantBench.base)" } == 1)
    }
  }

  /// A bench with an account without a response to its order.
  @EventLoop
  private static func benchWithLostOrder() async throws -> TenantBench {
    let bench = try TenantBench()
    let whole = tenant()
    bench.answer = { request throws(CourierFailure) in
      if request.method == .post { throw .timeout }
      return try whole(request)
    }
    let problem = try #require(try await bench.signOn(add).problems.first)
    #expect(problem.message.contains("stays \"activating\" until the same command completes it"))
    return bench
  }

  @Test("a sign-on that removes an unfinished account deletes the device that its order made")
  func removed() async throws {
    try await TestLoop.run {
      let bench = try await Self.benchWithLostOrder()
      let account = try #require(bench.accounts.first)
      let late: JSON = [
        "id": "d-0", "type": "TOTP", "status": "ACTIVATION_REQUIRED", "createdAt": "2027-01-15T08:00:01Z",
      ]
      bench.answer = Self.tenant(listing: [late])
      #expect(try await bench.signOn(DeviceOrders(remove: [account.id])).removed == [account.id])
      #expect(bench.asked.contains("DELETE \(TenantBench.base)/d-0"))
      #expect(try bench.accounts.isEmpty)
    }
  }

  @Test("a sign-on that lists drops an unfinished account 30 minutes after its order")
  func dropped() async throws {
    try await TestLoop.run {
      let bench = try await Self.benchWithLostOrder()
      bench.answer = Self.tenant()
      for (minutes, left) in [(29, 1), (1, 0)] {
        bench.clock.pass(.seconds(minutes * 60))
        _ = try await bench.signOn(Self.look)
        #expect(try bench.accounts.count == left)
      }
    }
  }

  @Test(
    "an order without a response is kept until its device is found or a later sign-on finds none"
  )
  func lostOrder() async throws {
    try await TestLoop.run {
      for arrives in [true, false] {
        let bench = try TenantBench()
        let whole = Self.tenant()
        bench.answer = { request throws(CourierFailure) in
          if request.method == .post { throw .timeout }
          return try whole(request)
        }
        // The tenant lists no device yet: it may still be creating it.
        #expect(try await bench.signOn(Self.add).added.isEmpty)
        #expect(try bench.accounts.map(\.state) == [.known(.activating)])
        _ = try await bench.signOn(Self.look)
        #expect(
          try bench.accounts.map(\.state) == [.known(.activating)],
          "one that may only look knows no better"
        )
        let late: JSON = [
          "id": "d-0", "type": "TOTP", "status": "ACTIVATION_REQUIRED", "createdAt": "2027-01-15T08:00:01Z",
        ]
        bench.answer = Self.tenant(listing: arrives ? [late] : [])
        #expect(try await bench.signOn(Self.add).added.count == 1)
        #expect(bench.asked.contains("DELETE \(TenantBench.base)/d-0") == arrives)
        #expect(try bench.accounts.map(\.state) == [.known(.active)])
      }
    }
  }

  @Test("an operation is not reported as done if its commit fails", arguments: ["POST", "DELETE", "PUT"])
  func commits(method: String) async throws {
    try await TestLoop.run {
      let bench = try await Self.bench()
      let account = try #require(bench.accounts.first?.id)
      var orders = DeviceOrders(remove: [account])
      if method == "PUT" { orders = DeviceOrders(rename: .init(account: account, nickname: "desk")) }
      if method == "POST" {
        _ = try await bench.life.accounts.remove(account, localOnly: true, owner: TenantBench.owner)
        orders = Self.add
      }
      let whole = Self.tenant(listing: method == "POST" ? [] : [Self.active])
      bench.answer = { [unowned bench] request throws(CourierFailure) in
        let isLast = request.method.rawValue == method && request.url.text != TenantBench.base
        if isLast { bench.breakTurn() }
        return isLast && method == "PUT" ? .json(200, [:]) : try whole(request)
      }
      let outcome = try await bench.signOn(orders)
      #expect(outcome.added.isEmpty && outcome.removed.isEmpty)
      #expect(outcome.problems.count == 1)
      let left = try #require(bench.accounts.first)
      #expect(left.state == .known(method == "POST" ? .activating : .active) && left.nickname == nil)
    }
  }

  @Test("an account that only its creator can continue raises no event until its owner must act")
  func events() async throws {
    try await TestLoop.run {
      let bench = try TenantBench()
      let oath = OATHAccounts(accounts: bench.life.accounts, passcodes: bench.life.passcodes) { _ in nil }
      let hidden = try bench.life.accounts.insert(
        kind: oath.kind,
        owner: TenantBench.owner,
        state: .activating,
        label: "ann",
        identityKey: ["a"]
      )
      #expect(try bench.life.accounts.publish(hidden.id, of: TenantBench.owner) == nil)
      try bench.life.accounts.discard(hidden.id, of: TenantBench.owner)
      try bench.life.vault.commit()
      #expect(bench.events.isEmpty)
      let whole = Self.tenant()
      bench.answer = { request throws(CourierFailure) in
        if request.url.text.hasSuffix("/d-1") { throw .timeout }
        return try whole(request)
      }
      _ = try await bench.signOn(Self.add)
      #expect(bench.events.map { $0.payload["state"] } == ["activating"])
      bench.answer = Self.tenant()
      _ = try await bench.signOn(Self.add)
      #expect(bench.events.map { $0.payload["state"] } == ["activating", "removed", "activating", nil])
    }
  }
}
