import Accounts
import Approvals
import ControlAPI
import EventLoop
import Glibc
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time

@testable import Vault

@Suite("PIN lock", .timeLimit(.minutes(30)))
struct PINLockTests {
  @Test("guarded secrets are available only after unlocking and for its time")
  func guarding() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let passcode = try bench.passcode().current.passcode
      #expect(try bench.lock.state(of: Bench.owner) == .none)
      try await bench.lock.set(Bench.pin, current: nil, owner: Bench.owner)
      #expect(try bench.lock.state(of: Bench.owner) == .locked)
      #expect(throws: RPCError.locked) { try bench.passcode() }
      await #expect(throws: RPCError.locked) { try await bench.payloads.make(for: Bench.owner) }
      try await bench.unlock(seconds: 10)
      #expect(try bench.lock.state(of: Bench.owner) == .unlocked)
      #expect(try bench.passcode().current.passcode == passcode)
      _ = try await bench.payloads.make(for: Bench.owner)

      // The wall clock does not affect the unlock time.
      bench.clock.set(bench.clock.now.adding(seconds: 86_400))
      #expect(try bench.lock.state(of: Bench.owner) == .unlocked)
      bench.clock.set(bench.clock.now.adding(seconds: -2 * 86_400))
      bench.clock.pass(.seconds(10))
      #expect(try bench.lock.state(of: Bench.owner) == .locked)
      #expect(throws: RPCError.locked, "before any timer has fired") { try bench.passcode() }
      await bench.pass(.seconds(1))

      try await bench.unlock()
      try bench.crash()
      #expect(try bench.lock.state(of: Bench.owner) == .locked)
      #expect(throws: RPCError.locked) { try bench.passcode() }
    }
  }

  @Test("pushes of a locked owner have no content and can be denied")
  func pushes() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      let push = try #require(
        try bench.receive(["title": "Sign on", "body": "secret", "clientContext": ["a": "b"]])
      )
      #expect(push.content.title == nil && push.content.body == nil && push.content.clientContext == nil)
      #expect(push.state == .pending)
      #expect(!bench.events.contains { "\($0.payload)".contains("secret") })
      #expect(
        try bench.accounts.list(of: Bench.owner).allSatisfy { $0.label.isEmpty && $0.user?.username == nil }
      )
      #expect(try await bench.deny(push.id).notification.state == .denied)
      #expect(bench.platform.decisions.last?.claims["decision"] == "deny")

      let other = try #require(try bench.receive(["body": "secret"]))
      try await bench.unlock()
      #expect(try bench.approvals.notification(other.id, of: Bench.owner).content.body == "secret")
      #expect(try await bench.approve(other.id).notification.state == .approved)
    }
  }

  @Test("a locked owner cannot approve with the device key")
  func approval() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      let push = try #require(try bench.receive())
      await #expect(throws: RPCError.locked) { try await bench.approve(push.id) }
      #expect(bench.platform.decisions.isEmpty)
    }
  }

  @Test("silent pushes are not answered while the owner is locked")
  func silence() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      let push = try #require(try bench.receive(["type": "silent"]))
      await TestLoop.settle()
      #expect(try bench.state(of: push.id) == .expired && bench.platform.decisions.isEmpty)
    }
  }

  @Test("six tries per minute are allowed; ten wrong ones disable the PIN until erasure")
  func tries() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      for left in (4...9).reversed() {
        let error = await bench.refusal()
        #expect(error?.reason == "PIN_WRONG" && error?.details["triesLeft"] == .int(left))
      }
      var error = await bench.refusal(of: Bench.pin)
      #expect(error?.reason == "RATE_LIMITED" && (error?.details["retryAfter"]?.int ?? 0) > 0)
      await bench.pass(.seconds(60))
      try await bench.unlock()

      // The right PIN resets the count and is not one of the six tries.
      error = await bench.refusal()
      #expect(error?.reason == "PIN_WRONG" && error?.details["triesLeft"] == .int(9))
      try bench.vault.setTries(8, of: Bench.owner)
      try bench.crash()
      await bench.pass(.seconds(60))
      for left in (0...1).reversed() {
        error = await bench.refusal()
        #expect(error?.reason == "PIN_WRONG" && error?.details["triesLeft"] == .int(left))
      }
      await bench.pass(.seconds(60))
      for _ in 0..<2 {
        #expect(try bench.lock.state(of: Bench.owner) == .disabled)
        #expect(await bench.refusal(of: Bench.pin)?.reason == "PIN_DISABLED")
        #expect(throws: RPCError.locked) { try bench.passcode() }
        try bench.crash()
      }
      try await bench.owners.erase(Bench.owner)
      #expect(try bench.lock.state(of: Bench.owner) == .none)
      try await bench.pair()
      #expect(try bench.passcode().current.passcode.count == 6)
    }
  }

  @Test("ten wrong PINs also lock an unlocked owner")
  func triesWhileUnlocked() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      for _ in 0..<5 { _ = await bench.refusal() }
      await bench.pass(.seconds(60))
      try bench.vault.setTries(4, of: Bench.owner)
      try await bench.unlock()
      try bench.vault.setTries(9, of: Bench.owner)
      let error = await Bench.refusal { try await bench.lock.clear(current: "wrong", owner: Bench.owner) }
      #expect(error?.details["triesLeft"] == .int(0))
      #expect(try bench.lock.state(of: Bench.owner) == .disabled)
      #expect(throws: RPCError.locked) { try bench.passcode() }
    }
  }

  @Test("changing or clearing a PIN requires the current PIN")
  func changes() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      let other = "734015"
      try await bench.unlock()
      let passcode = try bench.passcode().current.passcode
      let none = await Bench.refusal { try await bench.lock.set(other, current: nil, owner: Bench.owner) }
      #expect(none?.details["parameter"] == "current")
      let wrong = await Bench.refusal {
        try await bench.lock.set(other, current: "wrong", owner: Bench.owner)
      }
      #expect(wrong?.reason == "PIN_WRONG")
      try await bench.lock.set(other, current: Bench.pin, owner: Bench.owner)
      try bench.lock.lock(Bench.owner)
      #expect(await bench.refusal(of: Bench.pin)?.reason == "PIN_WRONG")
      try await bench.unlock(other)
      #expect(try bench.passcode().current.passcode == passcode)
      let old = await Bench.refusal { try await bench.lock.clear(current: Bench.pin, owner: Bench.owner) }
      #expect(old?.reason == "PIN_WRONG")
      try await bench.lock.clear(current: other, owner: Bench.owner)
      #expect(try bench.lock.state(of: Bench.owner) == .none)
      try bench.crash()
      #expect(try bench.passcode().current.passcode == passcode)
      #expect(await bench.refusal(of: other)?.reason == "NOT_FOUND")
      #expect(await Bench.refusal { try bench.lock.lock(Bench.owner) }?.reason == "NOT_FOUND")
    }
  }

  @Test("only one of two concurrent first PINs is set")
  func twoAtOnce() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let tasks = [Bench.pin, "734015"].map { pin in
        EventLoop.task { try await bench.lock.set(pin, current: nil, owner: Bench.owner) }
      }
      let outcomes = [await tasks[0].result, await tasks[1].result]
      #expect(outcomes.count { (try? $0.get()) != nil } == 1)
      let first = (try? outcomes[0].get()) != nil
      try await bench.unlock(first ? Bench.pin : "734015")
    }
  }
}
