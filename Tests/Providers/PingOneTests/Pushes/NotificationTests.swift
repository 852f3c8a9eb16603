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
import Time

@Suite("notifications")
struct NotificationTests {
  @Test("a push is stored once, in any envelope and after any number of deliveries")
  func once() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let push = try bench.push()
      let payloads: [JSON] = [
        .string(push), ["message": .string(push)], ["data": .string(push)],
        ["aps": ["alert": "x", "data": .string(push)]], .string(#"{"message":"\#(push)"}"#),
      ]
      let ids = try payloads.map { try bench.pushes.process($0, owner: Bench.owner)?.id }
      #expect(Set(ids).count == 1 && ids.first != nil)
      #expect(bench.events.filter { $0.topic == .notification }.count == 1)
    }
  }

  @Test("a push for another user, environment or device, or before pairing, is rejected")
  func strangers() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      #expect(throws: RPCError.notConfigured) { try bench.receive() }
      try await bench.pair()
      for change in [["sub": "u-2"], ["env": "e-2"]] as [JSONObject] {
        #expect(throws: RPCError.tokenRejected) { try bench.receive(change) }
      }
      #expect(throws: RPCError.unrecognizedNotification) {
        try bench.pushes.process(["message": "hello"], owner: Bench.owner)
      }
      #expect(throws: RPCError.notConfigured) {
        try bench.pushes.process(.string(try bench.push()), owner: 7)
      }
      #expect(throws: RPCError.tokenRejected, "a push for another device") {
        try bench.receive(["aud": "d-7"])
      }
    }
  }

  @Test("a push of another owner can be neither seen nor answered")
  func owners() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.pair(7)
      let id = try #require(try bench.receive()?.id)
      #expect(throws: RPCError.noSuch("request")) { try bench.approvals.notification(id, of: 7) }
      await #expect(throws: RPCError.noSuch("request")) {
        try await bench.approvals.approve(id, method: "user", number: nil, owner: 7)
      }
      await #expect(throws: RPCError.noSuch("request")) {
        try await bench.approvals.deny(id, reason: "NONE", owner: 7)
      }
      #expect(try bench.state(of: id) == .pending)
    }
  }

  @Test("a cancellation ends its push, also if it arrives first, but not another user's push")
  func cancellations() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.pairing.user = User(id: "u-2")
      _ = try await bench.pairings.pair("01ABCDEFGHJKMP", owner: Bench.owner)
      let id = try #require(try bench.receive(["jti": "a"])?.id)
      #expect(throws: RPCError.tokenRejected) {
        try bench.receive(["type": "cancel", "cancels": "a", "sub": "u-2"])
      }
      #expect(try bench.state(of: id) == .pending)
      let cancelled = try bench.receive(["type": "cancel", "cancels": "a"])
      #expect(cancelled?.state == .cancelled && cancelled?.kind == .cancelled && cancelled?.id == id)
      await #expect(throws: RPCError.cancelled) {
        try await bench.approvals.approve(id, method: "user", number: nil, owner: Bench.owner)
      }
      await #expect(throws: RPCError.cancelled) { try await bench.deny(id) }

      #expect(try bench.receive(["type": "cancel", "cancels": "b"]) == nil)
      #expect(try bench.receive(["type": "cancel", "cancels": "c", "sub": "u-2"]) == nil)
      #expect(try bench.receive(["jti": "b"])?.state == .cancelled)
      #expect(try bench.receive(["jti": "c"])?.state == .pending)
      #expect(bench.platform.decisions.isEmpty)
    }
  }

  @Test("the oldest pending pushes expire when there are more than twenty")
  func collapse() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let ids = try (0..<23).map { _ in try #require(try bench.receive()?.id) }
      let states = try ids.map { try bench.state(of: $0) }
      #expect(states == Array(repeating: .expired, count: 3) + Array(repeating: .pending, count: 20))
      #expect(try bench.pendingCount() == 20)
      await #expect(throws: RPCError.pushTimeout) { try await bench.approve(ids[0]) }
      #expect(bench.platform.decisions.isEmpty)
    }
  }

  @Test("a flood of pushes for one account does not expire another account's pushes")
  func flood() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.pairing.user = User(id: "u-2")
      _ = try await bench.pairings.pair("01ABCDEFGHJKMP", owner: Bench.owner)
      let genuine = try #require(try bench.receive(["sub": "u-2"])?.id)
      let flood = try (0..<200).map { _ in try #require(try bench.receive()?.id) }
      let late = try #require(try bench.receive(["sub": "u-2"])?.id)
      for id in [genuine, late] { #expect(try await bench.approve(id).notification.state == .approved) }
      let states = try flood.map { try bench.state(of: $0) }
      #expect(states.filter { $0 == .pending }.count == 18)
      #expect(states.suffix(18).allSatisfy { $0 == .pending }, "the newest stay")
      #expect(try bench.pendingCount() == 18)
    }
  }

  @Test("lists are paged, newest first, and filtered by state")
  func pages() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let ids = try (0..<7).map { _ in try #require(try bench.receive()?.id) }
      _ = try await bench.approvals.deny(ids[3], reason: "NONE", owner: Bench.owner)
      @EventLoop func page(_ params: JSON) throws -> [String] {
        let call = try NotificationList(parsing: params)
        return try bench.approvals.notifications(of: Bench.owner, state: call.state, page: call.page)
          .map(\.id)
      }
      #expect(try page([:]) == ids.reversed())
      #expect(try page(["limit": 2]) == [ids[6], ids[5]])
      #expect(try page(["limit": 3, "before": .string(ids[5])]) == [ids[4], ids[3], ids[2]])
      #expect(try page(["state": "denied"]) == [ids[3]])
      #expect(throws: RPCError.noSuch("request")) { try page(["before": "nothing"]) }
    }
  }

  @Test("a push expires by the monotonic clock")
  func expiry() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive(["timeout": 30])?.id)
      bench.clock.set(bench.clock.now.adding(seconds: 3600))
      #expect(try bench.state(of: id) == .pending)
      await bench.pass(.seconds(29))
      #expect(try bench.state(of: id) == .pending)
      await bench.pass(.seconds(1))
      #expect(try bench.state(of: id) == .expired)
      bench.clock.set(bench.clock.now.adding(seconds: -7200))
      #expect(try bench.state(of: id) == .expired)
      await #expect(throws: RPCError.pushTimeout) {
        try await bench.approvals.approve(id, method: "user", number: nil, owner: Bench.owner)
      }
      await #expect(throws: RPCError.pushTimeout) { try await bench.deny(id) }
      #expect(
        bench.events.filter { $0.topic == .notification }.map { $0.payload["state"] } == [
          "pending", "expired",
        ]
      )
    }
  }

  @Test("polled pushes are stored with their cursor, and invalid ones do not block the batch")
  func polling() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let (good, other) = (try bench.push(["jti": "g"]), try bench.push(["sub": "u-9"]))
      let batch = PushBatch(pushes: ["nonsense", other, good], cursor: "c1", hasMore: false)
      bench.platform.batches = [.success(batch)]
      await settle()
      let page = try NotificationList(parsing: nil).page
      #expect(try bench.approvals.notifications(of: Bench.owner, state: nil, page: page).count == 1)
      #expect(try bench.identity()?.cursor == "c1")
      try bench.crash()
      #expect(try bench.identity()?.cursor == "c1")
      try await bench.poller.resume()
      await settle()
      bench.platform.batches = [
        .success(PushBatch(pushes: [], cursor: "", hasMore: true, isCursorUnknown: true))
      ]
      await settle()
      #expect(try bench.identity()?.cursor == nil)
    }
  }

  @Test("pushes of a forgotten device remain visible as cancelled and cannot be answered")
  func forgotten() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      bench.platform.batches = [.failure(.deviceUnknown)]
      await settle()
      #expect(try bench.accounts.list(of: Bench.owner).map(\.state) == [.known(.revoked)])
      #expect(try bench.state(of: id) == .cancelled)
      #expect(throws: RPCError.notPaired) { try bench.receive() }
      #expect(throws: RPCError.notPaired) {
        try bench.passcode(of: nil, next: false, owner: Bench.owner)
      }
      try bench.crash()
      try await bench.approvals.resume()
      await bench.pass(.seconds(120))
      #expect(try bench.state(of: id) == .cancelled)
    }
  }
}
