import Accounts
import ControlAPI
import EventLoop
import JOSE
import JSONRPC
import OpenSSL
import PingOne
import SQLite
import TestLoop
import TestPlatform
import Testing
import Vault

@Suite("changes of a platform's keys", .timeLimit(.minutes(30)))
struct PlatformKeyTests {
  /// Makes the platform sign with a key that the bench does not have yet.
  @EventLoop
  private static func sign(_ bench: Bench, with key: PrivateKey, announced: Bool) {
    bench.platform.newKeys = announced ? [key] : []
    bench.platform.signer = key
  }

  @EventLoop
  private static func questions(_ bench: Bench) -> Int { bench.platform.calls.filter { $0 == .keys }.count }

  @Test("a new key signed by a known one is accepted, stored and used for the response")
  func followed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let key = try PrivateKey.generateP256()
      Self.sign(bench, with: key, announced: true)
      let renamed = try await bench.accounts.rename(account, to: "desk", owner: Bench.owner)
      #expect(renamed.nickname == "desk")
      #expect(Self.questions(bench) == 2, "the introduction, and once since")
      #expect(bench.platform.calls.count { $0 == .setNickname("desk") } == 1)

      try bench.crash()
      let identity = try #require(try bench.identity())
      let platform = bench.devices.platform(identity.url)
      #expect(platform.keys.map(\.thumbprint).contains(JWK(key.publicKey).thumbprint))
      #expect(platform.keysVersion == 2)
    }
  }

  @Test("responses signed by an unknown key fail and cost one key request a minute")
  func foreign() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let key = try PrivateKey.generateP256()
      Self.sign(bench, with: key, announced: false)
      for _ in 0..<5 {
        await #expect(throws: PlatformError.failed(.notPlatform)) {
          try await bench.accounts.rename(account, to: "desk", owner: Bench.owner)
        }
      }
      #expect(Self.questions(bench) == 2, "the introduction, and once since")
      #expect(try bench.accounts.list(of: Bench.owner).first?.nickname == nil)
      bench.clock.pass(.seconds(61))
      Self.sign(bench, with: key, announced: true)
      _ = try await bench.accounts.rename(account, to: "desk", owner: Bench.owner)
      #expect(Self.questions(bench) == 3)
    }
  }

  @Test("a decision that the platform accepted stands if it expires during the key request")
  func late() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.weather = { (call, moment) throws(PlatformError) in
        if call == .keys, moment == .request { bench.clock.pass(.seconds(121)) }
      }
      let push = try #require(try bench.receive()).id
      Self.sign(bench, with: try PrivateKey.generateP256(), announced: true)
      _ = try await bench.approve(push)
      await bench.pass(.zero)
      #expect(try bench.state(of: push) == .approved)

      let code = try await bench.startCode().id
      bench.platform.newKeys.append(try PrivateKey.generateP256())
      bench.platform.signer = bench.platform.newKeys.last
      _ = try await bench.approveCode(code)
      #expect(bench.platform.decisions.count == 2, "one of each")
      #expect(try bench.codes.list(of: Bench.owner).first?.status == .completed)
    }
  }

  @Test("a decision rejected for a wrong clock is not sent again after its expiry")
  func skewed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let push = try #require(try bench.receive()).id
      bench.platform.weather = { (call, moment) throws(PlatformError) in
        guard call == .answer("p-1"), moment == .request else { return }
        bench.clock.pass(.seconds(121))
        throw .clockOff(by: 90)
      }
      await #expect(throws: PlatformError.clockOff(by: 90)) { try await bench.approve(push) }
      #expect(bench.platform.calls.count { $0 == .answer("p-1") } == 1)
      await bench.pass(.zero)
      #expect(try bench.state(of: push) == .expired)
    }
  }

  @Test("lost platform keys are requested before any other call")
  func lost() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      try bench.vault.write { try $0.run("DELETE FROM platform_key_set") }
      try bench.crash()
      _ = try await bench.accounts.rename(account, to: "desk", owner: Bench.owner)
      #expect(Self.questions(bench) == 2, "the introduction, and once since")
    }
  }

  @Test("a key set not signed by a pinned key is unused until the pin is removed")
  func pinned() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      _ = try await bench.pair()
      let identity = try #require(try bench.identity())
      let platform = bench.devices.platform(identity.url)
      let held = platform.keys.map(\.thumbprint)
      for (pins, isPinned, keys) in [
        (Set(held), true, held), ([String(repeating: "A", count: 43)], false, []), ([], false, held),
      ] as [(Set<String>, Bool, [String])] {
        bench.devices.pin(pins)
        #expect(platform.keys.map(\.thumbprint) == keys)
        #expect(bench.devices.isPinned(identity) == isPinned)
        #expect(bench.devices.isPinned(nil) == !pins.isEmpty)
      }
    }
  }
}
