import Accounts
import Approvals
import ControlAPI
import EventLoop
import JSON
import JSONRPC
import TestLoop
import TestPlatform
import Testing
import Time

extension Bench {
  fileprivate func lock(_ seconds: Int) -> AccountLock {
    AccountLock(policy: "PUSH_LIMIT", expiresAt: clock.now.adding(seconds: seconds))
  }

  fileprivate var locked: [JSON?] {
    events.filter { $0.topic == .account }.map { $0.payload["locked"] }
  }

  fileprivate func lockedAccount() throws -> Account? { try life.accounts.list(of: Self.owner).first }
}

@Suite("Locked accounts", .timeLimit(.minutes(30)))
struct LockTests {
  @Test("a denial that locks the account reports the lock, which ends on time")
  func denial() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive(["jti": "p"])?.id)
      let lock = bench.lock(1800)
      bench.platform.locks["p"] = lock
      let answer = try await bench.deny(id)
      #expect(answer.notification.state == .denied && answer.lock == lock)
      #expect(try bench.lockedAccount()?.json["locked"] == true)
      #expect(try bench.lockedAccount()?.json["lock"] == lock.json)
      await bench.pass(.seconds(1799))
      #expect(try bench.lockedAccount()?.lock == lock)
      await bench.pass(.seconds(1))
      #expect(try bench.lockedAccount()?.json["locked"] == false)
      #expect(try bench.lockedAccount()?.json["lock"] == nil)
      #expect(bench.locked == [false, true, false])
    }
  }

  @Test("an answer of a locked account fails with the policy and decides nothing")
  func refusal() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      let lock = bench.lock(60)
      bench.platform.lock = lock
      let error = RPCError.accountLocked.with([
        "policy": "PUSH_LIMIT", "expiresAt": lock.json["expiresAt"] ?? .null,
      ])
      for _ in 0..<2 {
        await #expect(throws: error) { try await bench.approve(id) }
        #expect(try bench.state(of: id) == .pending)
      }
      #expect(bench.locked == [false, true], "a lock that is known is told once")
      // The platform decides: an administrator may have unlocked the account.
      bench.platform.lock = nil
      #expect(try await bench.approve(id).notification.state == .approved)
      #expect(try bench.lockedAccount()?.lock == nil)
      #expect(bench.locked == [false, true, false])
    }
  }

  @Test("a lock survives a crash and still ends on time")
  func crash() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let account = try #require(try bench.lockedAccount()?.id)
      let lock = bench.lock(600)
      try bench.accounts.setLock(lock, on: account, of: Bench.owner)
      try bench.crash()
      try bench.accounts.resumeLocks()
      #expect(try bench.lockedAccount()?.lock == lock)
      await bench.pass(.seconds(600))
      #expect(try bench.lockedAccount()?.lock == nil)
      #expect(bench.locked.last == false)
    }
  }

  @Test("a lock without expiry survives a crash until the platform accepts an answer")
  func blocked() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(
        try bench.receive(["exp": .int(bench.clock.now.seconds + 600), "timeout": 600])?.id
      )
      let lock = AccountLock(policy: "DEVICE_BLOCKED", expiresAt: nil)
      bench.platform.lock = lock
      await #expect(throws: RPCError.accountLocked.with(["policy": "DEVICE_BLOCKED"])) {
        try await bench.approve(id)
      }
      try bench.crash()
      try bench.accounts.resumeLocks()
      try await bench.approvals.resume()
      await bench.pass(.seconds(500))
      #expect(try bench.lockedAccount()?.lock == lock)
      bench.platform.lock = nil
      #expect(try await bench.approve(id).notification.state == .approved)
      #expect(try bench.lockedAccount()?.lock == nil)
    }
  }

  @Test("the end of an earlier lock does not end a later lock")
  func again() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let account = try #require(try bench.lockedAccount()?.id)
      try bench.accounts.setLock(bench.lock(60), on: account, of: Bench.owner)
      await bench.pass(.seconds(30))
      try bench.accounts.setLock(bench.lock(60), on: account, of: Bench.owner)
      await bench.pass(.seconds(30))
      #expect(try bench.lockedAccount()?.lock != nil)
      // The clock is set back, so the lock lasts longer.
      bench.clock.set(bench.clock.now.adding(seconds: -100))
      await bench.pass(.seconds(30))
      #expect(try bench.lockedAccount()?.lock != nil)
      await bench.pass(.seconds(100))
      #expect(try bench.lockedAccount()?.lock == nil)
      #expect(bench.locked == [false, true, true, false])
    }
  }
}
