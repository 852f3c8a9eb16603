import Accounts
import Approvals
import ControlAPI
import EventLoop
import Glibc
import JSON
import JSONRPC
import PingOne
import Synchronization
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("PIN tries", .timeLimit(.minutes(30)))
struct PINTryTests {
  @Test("other owners are served during key derivation; one owner may queue one try")
  func derivation() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      let other = Bench.owner + 1
      try await bench.pair(other)
      let isOpen = Mutex(false)
      let slow = EventLoop.task {
        try await bench.lock.lane.run(for: 7) { while !isOpen.withLock({ $0 }) { usleep(200) } }
      }
      await TestLoop.settle()
      let waiting = EventLoop.task { try await bench.unlock() }
      await TestLoop.settle()
      #expect(await bench.refusal(of: Bench.pin)?.reason == "RATE_LIMITED")
      #expect(try bench.vault.pin(of: Bench.owner)?.tries == 0, "one that waits is not counted")
      for _ in 0..<100 { #expect(try bench.passcode(owner: other).current.passcode.count == 6) }
      isOpen.withLock { $0 = true }
      try await slow.value
      try await waiting.value
      #expect(try bench.lock.state(of: Bench.owner) == .unlocked)
    }
  }

  @Test("right PINs have a rate limit too, which counts no try and no other owner's")
  func rightPINs() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      for _ in 1..<30 { try bench.lock.derivations.take(of: Bench.owner) }
      for pin in [Bench.pin, "wrong one"] {
        #expect(await bench.refusal(of: pin) == RPCError.rateLimited.with(["retryAfter": 2]))
      }
      #expect(try bench.storedTries() == 0)
      try await bench.lock.set(Bench.pin, current: nil, owner: Bench.owner + 1)
      await bench.pass(.seconds(2))
      try await bench.unlock()
    }
  }

  @Test("a try is committed before its key is derived")
  func counting() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      let attempt = EventLoop.task { await bench.refusal() }
      while try bench.vault.pin(of: Bench.owner)?.tries == 0 { try await EventLoop.sleep(for: .zero) }
      #expect(!bench.vault.hasUncommittedChanges)
      #expect(try bench.storedTries() == 1)
      #expect(await attempt.value?.reason == "PIN_WRONG")
      try bench.vault.commit()
      #expect(try bench.storedTries() == 1)
      try await bench.unlock()
      #expect(try bench.storedTries() == 0)
    }
  }

  @Test("the limit of six tries per minute survives a crash")
  func restarting() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      for _ in 0..<4 { #expect(await bench.refusal()?.reason == "PIN_WRONG") }
      try bench.crash()
      for _ in 0..<2 { #expect(await bench.refusal()?.reason == "PIN_WRONG") }
      for _ in 0..<2 {
        #expect(await bench.refusal(of: Bench.pin)?.reason == "RATE_LIMITED")
        try bench.crash()
      }
      await bench.pass(.seconds(60))
      try await bench.unlock()
      try bench.crash()
      try await bench.unlock()
    }
  }

  @Test(
    "an unguarded secret is guarded with the first PIN"
  )
  func adoption() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let passcode = try bench.passcode().current.passcode
      try bench.makeUnguarded()
      #expect(try bench.unguarded() == 2 && bench.passcode().current.passcode == passcode)
      try await bench.lock.set(Bench.pin, current: nil, owner: Bench.owner)
      #expect(try bench.unguarded() == 0)
      #expect(throws: RPCError.locked) { try bench.passcode() }
      try await bench.unlock()
      #expect(try bench.passcode().current.passcode == passcode)
    }
  }

  @Test("a PIN of a call does not apply to the polling that the call starts")
  func leaving() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.lock.set(Bench.pin, current: nil, owner: Bench.owner)
      let polls = Mutex<[Bool]>([])
      bench.platform.batches = [.failure(.outOfReach)]
      bench.platform.weather = { (call, moment) throws(PlatformError) in
        guard case .pushes = call, moment == .request else { return }
        polls.withLock { $0.append(VerifiedPresence.current != nil) }
      }
      _ = try await bench.approvals.presence.verifying(.pin(Bench.pin), of: Bench.owner) {
        try await bench.pair()
      }
      while polls.withLock({ $0.isEmpty }) { try await EventLoop.sleep(for: .zero) }
      #expect(polls.withLock { $0 }.allSatisfy { !$0 })
    }
  }

  @Test(
    "a PIN survives a change of the key-encryption key; erasure clears key slots"
  )
  func keys() async throws {
    try await TestLoop.run {
      let bench = try await Bench.locked()
      try bench.vault.sealer.changeKey(recovery: RecoveryKey()) {
        try KeyFile.stage($0, for: bench.statePath + "/key")
      }
      try bench.crash()
      try await bench.unlock()
      #expect(try bench.passcode().current.passcode.count == 6)
      try await bench.owners.erase(Bench.owner)
      #expect(try bench.filledSlots() == 0)
    }
  }
}
