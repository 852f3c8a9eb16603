import Configuration
import ControlAPI
import EventLoop
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time

@Suite("Passcodes of an account")
struct PasscodeTests {
  @Test("passcode, window and next passcode are consistent at a window boundary")
  func windows() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.clock.set(Timestamp(seconds: 1_800_000_029))
      let late = try bench.passcode(of: nil, next: true, owner: Bench.owner)
      #expect(late.current.validFrom == 1_800_000_000 && late.current.validUntil == 1_800_000_030)
      #expect(late.remaining == 1 && late.period == 30)
      let next = try #require(late.next)
      #expect(next.validFrom == 1_800_000_030 && next.validUntil == 1_800_000_060)
      bench.clock.set(Timestamp(seconds: 1_800_000_030))
      let early = try bench.passcode(of: nil, next: false, owner: Bench.owner)
      #expect(early.current == next && early.remaining == 30 && early.next == nil)
    }
  }

  @Test("the passcode is the one that the pairing verified, also after a crash")
  func proven() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let passcode = try bench.passcode(of: account, next: false, owner: Bench.owner)
      #expect(bench.platform.passcodes == [passcode.current.passcode])
      try bench.crash()
      let again = try bench.passcode(of: account, next: false, owner: Bench.owner)
      #expect(again.current == passcode.current)
    }
  }

  @Test("without an account id the only account is used; other cases have own errors")
  func choice() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      @EventLoop func passcode(_ account: String?, _ owner: UInt32) -> RPCError? {
        do { _ = try bench.passcode(of: account, next: false, owner: owner) } catch {
          return error as? RPCError
        }
        return nil
      }
      #expect(passcode(nil, Bench.owner) == .notConfigured)
      _ = try await bench.devices.configure(.northAmerica, for: Bench.owner)
      #expect(passcode(nil, Bench.owner) == .notPaired)
      let first = try await bench.pair().account
      #expect(passcode(nil, Bench.owner) == nil)
      #expect(passcode(first, 7) == .noSuch("account"))
      bench.platform.pairing.user = User(id: "u-2")
      let second = try await bench.pair().account
      let ambiguous = try #require(passcode(nil, Bench.owner))
      #expect(ambiguous.code == RPCError.ambiguous.code)
      #expect(Set(ambiguous.details["accounts"]?.array?.compactMap(\.string) ?? []) == [first, second])
      #expect(passcode(second, Bench.owner) == nil)
    }
  }

  @Test("an account without a secret has no passcode")
  func pushOnly() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.pairing.secret = nil
      try await bench.pair()
      #expect(throws: RPCError.notPaired) {
        try bench.passcode(of: nil, next: false, owner: Bench.owner)
      }
    }
  }
}
