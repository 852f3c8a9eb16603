import Accounts
import ControlAPI
import EventLoop
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing
internal import Vault

@Suite("Accounts", .timeLimit(.minutes(30)))
struct AccountTests {
  @Test("a nickname is cleaned, sent to the platform and stored")
  func rename() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let id = try await bench.pair().account
      let account = try await bench.accounts.rename(id, to: "wo\u{202E}rk", owner: Bench.owner)
      #expect(account.nickname == "work")
      #expect(bench.platform.calls.last == .setNickname("work"))
      #expect(bench.events.last?.payload["nickname"] == "work")
      try bench.crash()
      #expect(try bench.accounts.list(of: Bench.owner).first?.nickname == "work")
    }
  }

  @Test("a nickname is not stored if it is empty or the platform is unreachable")
  func renameFails() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let id = try await bench.pair().account
      await #expect(throws: RPCError.invalidParameter("nickname")) {
        try await bench.accounts.rename(id, to: "\u{202E}", owner: Bench.owner)
      }
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) {
        try await bench.accounts.rename(id, to: "work", owner: Bench.owner)
      }
      #expect(try bench.accounts.list(of: Bench.owner).first?.nickname == nil)
      await #expect(throws: RPCError.noSuch("account")) {
        try await bench.accounts.rename(id, to: "work", owner: 7)
      }
    }
  }

  @Test(
    "an account is removed at the platform and here, or only here with localOnly",
    arguments: [false, true]
  )
  func remove(localOnly: Bool) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let id = try await bench.pair().account
      let push = try #require(try bench.receive())
      let remains = try await bench.accounts.remove(id, localOnly: localOnly, owner: Bench.owner)
      #expect(remains == localOnly)
      #expect(bench.platform.calls.contains(.unpair("u-1")) != localOnly)
      #expect(try bench.accounts.list(of: Bench.owner).isEmpty)
      #expect(try bench.vault.rows(.account) == 0)
      #expect(bench.events.last?.payload["state"] == "removed")
      #expect(throws: RPCError.noSuch("request")) { try bench.state(of: push.id) }
      #expect(throws: RPCError.notPaired) {
        try bench.passcode(of: nil, next: false, owner: Bench.owner)
      }
      try await bench.pair()
    }
  }

  @Test("removal fails if the platform is unreachable, but not for a revoked account")
  func removeFails() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let id = try await bench.pair().account
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      await #expect(throws: PlatformError.outOfReach) {
        try await bench.accounts.remove(id, localOnly: false, owner: Bench.owner)
      }
      #expect(try bench.accounts.list(of: Bench.owner).map(\.state) == [.known(.active)])
      await #expect(throws: RPCError.noSuch("account")) {
        try await bench.accounts.remove(id, localOnly: true, owner: 7)
      }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      bench.platform.forgetDevices()
      await #expect(throws: PlatformError.deviceUnknown) {
        try await bench.accounts.rename(id, to: "x", owner: Bench.owner)
      }
      #expect(try await !bench.accounts.remove(id, localOnly: false, owner: Bench.owner))
      #expect(try bench.accounts.list(of: Bench.owner).isEmpty)
    }
  }
}
