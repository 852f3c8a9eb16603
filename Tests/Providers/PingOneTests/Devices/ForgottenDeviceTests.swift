import Accounts
import Approvals
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

@Suite("a device that its platform has forgotten", .timeLimit(.minutes(30)))
struct ForgottenDeviceTests {
  @Test("its pairings are revoked with an event, and pending pushes are cancelled")
  func revoked() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let push = try #require(try bench.receive())
      bench.platform.forgetDevices()
      await #expect(throws: RPCError.notPaired) { try await bench.approve(push.id) }
      let shown = try #require(try bench.accounts.list(of: Bench.owner).first)
      #expect(shown.id == account && shown.state == .revoked)
      #expect(bench.events.last { $0.topic == .account }?.payload["state"] == "revoked")
      #expect(try bench.state(of: push.id) == .cancelled)
      #expect(throws: RPCError.notPaired) {
        try bench.passcode(of: account, next: false, owner: Bench.owner)
      }
      #expect(try bench.pairedCount() == 0 && !bench.isPolling())
      #expect(try bench.devices.geography(of: Bench.owner) == .northAmerica)
    }
  }

  @Test("polling detects that the platform has forgotten the device")
  func polling() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.forgetDevices()
      bench.platform.batches = [.success(PushBatch(pushes: [], cursor: "c", hasMore: false))]
      await settle()
      #expect(try bench.accounts.list(of: Bench.owner).map(\.state) == [.known(.revoked)])
    }
  }

  @Test("a new pairing creates new keys and replaces the user's revoked account")
  func again() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let identity = try #require(try bench.identity())
      let key = identity.keyID
      bench.platform.forgetDevices()
      await #expect(throws: PlatformError.deviceUnknown) { try await bench.pair() }
      #expect(try bench.identity() == nil)

      try bench.crash()
      let account = try await bench.pair().account
      let renewed = try #require(try bench.identity())
      #expect(renewed.keyID != key && renewed.isPrimary)
      #expect(bench.platform.key(of: renewed) == renewed.keyID)
      let accounts = try bench.accounts.list(of: Bench.owner)
      #expect(accounts.map(\.id) == [account] && accounts.map(\.state) == [.known(.active)])
    }
  }

  @Test("a late deviceUnknown response does not end trust that was established since")
  func late() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let push = try #require(try bench.receive())
      let gate = Gate(bench.platform) { call, moment in call == .answer("p-1") && moment == .request }
      let answer = EventLoop.task {
        try? await bench.approvals.deny(push.id, reason: "NONE", owner: Bench.owner)
      }
      await settle()
      bench.platform.forgetDevices()
      await #expect(throws: PlatformError.deviceUnknown) {
        try await bench.devices.rotateKeys(of: Bench.owner)
      }
      _ = try await bench.devices.configure(.northAmerica, for: Bench.owner)
      await gate.release(.deviceUnknown)
      _ = await answer.value
      #expect(gate.held.isEmpty, "the new device has nothing to do with it")
      #expect(try bench.identity() != nil)
    }
  }
}
