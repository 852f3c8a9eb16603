import Accounts
import ControlAPI
import EventLoop
import Glibc
import Interleaving
import JSONRPC
import TestLoop
import TestPlatform
import Testing
import Time
internal import Vault

@testable import PingOne

@Suite("pairings concurrent with other operations", .timeLimit(.minutes(30)))
struct PairingCrossingTests {
  private static let key = "01ABCDEFGHJKMN"

  @Test("a pairing leaves no account if its device is forgotten while its key is claimed")
  func forgotten() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let gate = Gate(bench.platform) { call, moment in call == .pair(Self.key) && moment == .reply }
      bench.platform.pairing.user = User(id: "u-2")
      bench.platform.pairing.secret = nil
      let pairing = EventLoop.task { try await bench.pair() }
      await settle()
      #expect(gate.held.count == 1)
      bench.platform.forgetDevices()
      await #expect(throws: PlatformError.deviceUnknown) {
        try await bench.accounts.rename(account, to: "n", owner: Bench.owner)
      }
      await gate.release()
      await #expect(throws: RPCError.notConfigured) { try await pairing.value }
      #expect(try bench.accounts.list(of: Bench.owner).map(\.state) == [.known(.revoked)])
      #expect(try bench.vault.rows(.account) == 1)
      #expect(try bench.vault.rows(.pairing) == 0)
    }
  }

  @Test("a pairing and a removal of the same owner exclude each other")
  func removal() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let owner = Bench.owner
      let gate = Gate(bench.platform) { call, moment in moment == .request }
      let removal = EventLoop.task {
        try await bench.accounts.remove(account, localOnly: false, owner: owner)
      }
      await settle()
      #expect(gate.held.map(\.call) == [.unpair("u-1")])
      await #expect(throws: RPCError.pairingRunning) { try await bench.pair() }
      await gate.release(.outOfReach)
      await #expect(throws: PlatformError.outOfReach) { try await removal.value }
      let pairing = EventLoop.task { try await bench.pair() }
      await settle()
      await #expect(throws: RPCError.pairingRunning) {
        try await bench.accounts.remove(account, localOnly: false, owner: owner)
      }
      while !gate.held.isEmpty { await gate.release() }
      let second = try await pairing.value.account
      #expect(try bench.accounts.list(of: owner).map(\.id) == [second])
    }
  }

  @Test("an interrupted pairing is resumed after its owner's new pairing, without delaying others")
  func resumed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let others: [uid_t] = [7, 8]
      var gate = Gate(bench.platform) { call, moment in call == .checkPasscode && moment == .request }
      for owner in others { EventLoop.task { _ = try? await bench.pair(owner) } }
      await settle()
      #expect(gate.held.count == 2)
      gate.abandon()
      try bench.crash()
      gate = Gate(bench.platform) { call, moment in call == .checkPasscode && moment == .request }
      // One owner enters another key before the interrupted pairing is resumed.
      bench.platform.pairing.user = User(id: "u-2")
      let typed = EventLoop.task { try await bench.pairings.pair("01ZZZZZZZZZZZZ", owner: 7) }
      await settle()
      try await EventLoop.task {
        let resumption = EventLoop.task { try await bench.pairings.resumePairings() }
        await settle()
        #expect(gate.held.count == 2, "the other one's is not held up")
        await gate.release(at: 1)
        try await resumption.value
      }.value
      #expect(try bench.accounts.list(of: 8).count == 1)
      await gate.release()
      _ = try await typed.value
      #expect(try bench.accounts.list(of: 7).count == 1)
      await bench.pass(.seconds(5))
      await gate.release()
      #expect(try bench.accounts.list(of: 7).compactMap(\.user?.id).sorted() == ["u-1", "u-2"])
      #expect(try bench.vault.rows(.pairing) == 0)
    }
  }
}
