import Accounts
import Approvals
import ControlAPI
import EventLoop
import Interleaving
import JSONRPC
import PingOne
import SQLite
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@Suite("key rotation", .timeLimit(.minutes(30)))
struct RotationTests {
  @Test("new keys take effect on both sides, and the pairings stay")
  func rotate() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let identity = try #require(try bench.identity())
      let old = identity.keyID
      bench.clock.pass(.seconds(60))
      #expect(try await bench.devices.rotateKeys(of: Bench.owner) == bench.clock.now)
      let renewed = try #require(try bench.identity())
      #expect(renewed.keyID != old && renewed.nextKeyID == nil)
      // The first proof by the new key invalidates the old one.
      #expect(bench.platform.key(of: identity) == renewed.keyID)
      let push = try #require(try bench.receive())
      _ = try await bench.approvals.deny(push.id, reason: "NONE", owner: Bench.owner)
      #expect(bench.platform.key(of: identity) == renewed.keyID)
      #expect(try bench.accounts.list(of: Bench.owner).map(\.id) == [account])
    }
  }

  @Test("a wrong clock does not decide which keys the platform has")
  func wrongClock() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let old = try #require(try bench.identity()).keyID
      var tries = 0
      bench.platform.weather = { (call, _) throws(PlatformError) in
        guard call == .rotateKeys else { return }
        tries += 1
        throw tries == 1 ? .deviceUnknown : .clockOff(by: 86_400)
      }
      await #expect(throws: PlatformError.clockOff(by: 86_400)) {
        try await bench.devices.rotateKeys(of: Bench.owner)
      }
      let identity = try #require(try bench.identity())
      #expect(identity.keyID == old && identity.nextKeyID != nil)
    }
  }

  @Test("superseded keys that arrive late are announced again, and the device stays")
  func overtaken() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try await bench.pair().account
      let old = try #require(try bench.identity()).keyID
      var tries = 0
      bench.platform.weather = { (call, moment) throws(PlatformError) in
        guard call == .rotateKeys, moment == .request else { return }
        tries += 1
        // The second request proves the new keys, which other keys have replaced.
        if tries == 2 { throw .deviceUnknown }
      }
      _ = try await bench.devices.rotateKeys(of: Bench.owner)
      let identity = try #require(try bench.identity())
      #expect(tries == 4 && identity.keyID != old && bench.platform.key(of: identity) == identity.keyID)
      #expect(try bench.accounts.list(of: Bench.owner).map(\.id) == [account])
    }
  }

  @Test("rotation fails without trust")
  func unconfigured() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      await #expect(throws: RPCError.notConfigured) {
        try await bench.devices.rotateKeys(of: Bench.owner)
      }
    }
  }

  /// Crashes the machine during a rotation, at the first call that `holds` selects.
  @EventLoop
  private static func crash(
    _ bench: Bench,
    where holds: @escaping @EventLoop (TestPlatform.Call, TestPlatform.Moment) -> Bool
  ) async throws {
    let gate = Gate(bench.platform, holds: holds)
    let rotation = EventLoop.task { try? await bench.devices.rotateKeys(of: Bench.owner) }
    await settle()
    #expect(gate.held.count == 1)
    gate.abandon()
    rotation.cancel()
    try bench.crash()
    bench.platform.weather = { (_, _) throws(PlatformError) in }
  }

  @Test(
    "a crash at any step leaves keys that the platform accepts",
    arguments: [TestPlatform.Moment.request, .reply],
    [false, true]
  )
  func crash(moment: TestPlatform.Moment, isProvenSince: Bool) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await Self.crash(bench) { $0 == .rotateKeys && $1 == moment }
      let identity = try #require(try bench.identity())
      let next = try #require(identity.nextKeyID)
      // The worst case: the platform has seen a proof by the new key, and the state is older than that proof.
      if isProvenSince, moment == .reply {
        try bench.platform.see(next, of: identity)
      }
      let push = try #require(try bench.receive())
      _ = try await bench.approvals.deny(push.id, reason: "NONE", owner: Bench.owner)
      bench.devices.startRotating()
      await settle()
      let renewed = try #require(try bench.identity())
      #expect(renewed.nextKeyID == nil && renewed.keyID == next)
      let second = try #require(try bench.receive())
      _ = try await bench.approvals.deny(second.id, reason: "NONE", owner: Bench.owner)
      #expect(try bench.accounts.list(of: Bench.owner).map(\.state) == [.known(.active)])
    }
  }

  @Test("an unreachable platform postpones the rotation, and a refusal ends it")
  func failures() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let identity = try #require(try bench.identity())
      let old = identity.keyID
      bench.platform.weather = { (call, _) throws(PlatformError) in
        if call == .rotateKeys { throw .outOfReach }
      }
      await #expect(throws: PlatformError.outOfReach) {
        try await bench.devices.rotateKeys(of: Bench.owner)
      }
      let next = try #require(try bench.identity()?.nextKeyID)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      bench.platform.refusesKeys = true
      await #expect(throws: PlatformError.refused(.failedPolicy)) {
        try await bench.devices.rotateKeys(of: Bench.owner)
      }
      let kept = try #require(try bench.identity())
      #expect(kept.nextKeyID == nil && kept.keyID == old)
      bench.platform.refusesKeys = false
      _ = try await bench.devices.rotateKeys(of: Bench.owner)
      #expect(try ![old, next].contains(bench.identity()?.keyID))
    }
  }

  @Test("accepted keys are kept if the platform later refuses them, because it may have a proof")
  func refusedAfterwards() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      var calls = 0
      try await Self.crash(bench) { call, moment in
        guard call == .rotateKeys, moment == .request else { return false }
        calls += 1
        return calls == 2
      }
      let next = try #require(try bench.identity()?.nextKeyID)
      bench.platform.refusesKeys = true
      await #expect(throws: PlatformError.refused(.failedPolicy)) {
        try await bench.devices.rotateKeys(of: Bench.owner)
      }
      #expect(try bench.identity()?.nextKeyID == next)
      bench.platform.refusesKeys = false
      _ = try await bench.devices.rotateKeys(of: Bench.owner)
      let identity = try #require(try bench.identity())
      #expect(identity.keyID == next && bench.platform.key(of: identity) == next)
    }
  }

  @Test("concurrent callers get the same rotation")
  func joined() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform) { $0 == .rotateKeys && $1 == .request }
      let first = EventLoop.task { try await bench.devices.rotateKeys(of: Bench.owner) }
      let second = EventLoop.task { try await bench.devices.rotateKeys(of: Bench.owner) }
      await settle()
      #expect(gate.held.count == 1)
      await gate.releaseAll()
      _ = try await (first.value, second.value)
      // One call announces the new keys, signed by the old ones. The other proves the new keys.
      #expect(bench.platform.calls.filter { $0 == .rotateKeys }.count == 2)
    }
  }

  @Test("keys are rotated automatically after a year and not before")
  func yearly() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let identity = try #require(try bench.identity())
      let old = identity.keyID
      bench.devices.startRotating()
      for _ in 0..<365 { await bench.pass(.seconds(86_400)) }
      #expect(try bench.identity()?.keyID == old)
      await bench.pass(.seconds(86_400))
      #expect(try bench.identity()?.keyID != old)
      let entries = try bench.audit.entries(of: Bench.owner, page: AuditList(parsing: nil).page)
      #expect(entries.map(\.method) == ["daemon.rotateKeys"])
      #expect(entries.map(\.target) == [identity.deviceID] && entries.map(\.outcome) == ["ok"])
    }
  }

  @Test("a rotation that became due while the owner was locked runs after unlocking")
  func unlocked() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let old = try #require(try bench.identity()).keyID
      try await bench.lock.set("280491", current: nil, owner: Bench.owner)
      bench.devices.startRotating()
      for _ in 0..<366 { await bench.pass(.seconds(86_400)) }
      #expect(try bench.identity()?.keyID == old)
      _ = try await bench.lock.unlock("280491", seconds: 300, owner: Bench.owner)
      await settle()
      let new = try #require(try bench.identity()).keyID
      #expect(new != old)
      // Locking and unlocking alone do not cause a rotation.
      try bench.lock.lock(Bench.owner)
      _ = try await bench.lock.unlock("280491", seconds: 300, owner: Bench.owner)
      await settle()
      #expect(try bench.identity()?.keyID == new)
    }
  }

  @Test("a commit failure at the end of a rotation reaches every caller that waits for it")
  func unstored() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let gate = Gate(bench.platform) { $0 == .rotateKeys && $1 == .reply }
      let rotate = { @EventLoop @Sendable () async throws in
        try await bench.devices.rotateKeys(of: Bench.owner)
      }
      let rotations = (0..<3).map { _ in EventLoop.task(rotate) }
      await settle()
      #expect(gate.held.count == 1)
      try bench.vault.failCommitsOfIdentities()
      await gate.releaseAll()
      for rotation in rotations { await #expect(throws: SQLiteError.self) { try await rotation.value } }
      try bench.vault.mendCommits()
      #expect(try bench.identity()?.nextKeyID != nil)
      let again = EventLoop.task(rotate)
      await settle()
      await gate.releaseAll()
      _ = try await again.value
      #expect(try bench.identity()?.nextKeyID == nil)
    }
  }
}
