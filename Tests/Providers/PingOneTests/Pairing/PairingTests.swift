import Accounts
import Configuration
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
internal import Vault

@Suite("pairing by a key", .timeLimit(.minutes(30)))
struct PairingTests {
  private static let key = "01ABCDEFGHJKMN"

  @Test("a pairing creates an account and an event, and starts polling")
  func success() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let info = try await bench.pairings.pair("01-abcd efgh jkmn", owner: Bench.owner)
      #expect(info.authenticators.map(\.type) == ["PUSH", "OTP"])
      #expect(info.authenticators.allSatisfy { $0.status == "COMPLETED" })
      #expect(bench.platform.calls == [.keys, .trust, .registerPush, .pair(Self.key), .checkPasscode])
      let accounts = try bench.accounts.list(of: Bench.owner)
      #expect(accounts.map(\.id) == [info.account] && accounts.first?.label == "ann")
      #expect(bench.events.map(\.topic) == [.account])
      #expect(try bench.isPolling())
      #expect(try bench.accounts.list(of: 7).isEmpty)
    }
  }

  @Test("a malformed key is not sent")
  func malformed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      await #expect(throws: RPCError.pairingKey) {
        try await bench.pairings.pair("01ABC", owner: Bench.owner)
      }
      #expect(!bench.platform.calls.contains { if case .pair = $0 { true } else { false } })
    }
  }

  @Test("an owner runs one pairing at a time, and other owners may pair concurrently")
  func guarded() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let gate = Gate(bench.platform) { call, moment in call == .pair(Self.key) && moment == .request }
      let first = EventLoop.task { try await bench.pair().account }
      await settle()
      await #expect(throws: RPCError.pairingRunning) { try await bench.pair() }
      let other = EventLoop.task { try await bench.pair(7).account }
      await settle()
      #expect(gate.held.count == 2)
      await gate.release()
      await gate.release()
      _ = try await (first.value, other.value)
    }
  }

  @Test("the pairing guard is released after every failure, and the same key can be retried")
  func released() async throws {
    let steps: [TestPlatform.Call] = [.trust, .registerPush, .pair(Self.key), .checkPasscode]
    let errors: [PlatformError] = [.outOfReach, .brokenDown, .refused(.pairingKey), .deviceUnknown]
    for step in steps {
      for error in errors {
        for moment in [TestPlatform.Moment.request, .reply] {
          try await Self.tryAgain(after: error, at: step, moment)
        }
      }
    }
  }

  private static func tryAgain(
    after error: PlatformError,
    at step: TestPlatform.Call,
    _ moment: TestPlatform.Moment
  ) async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      bench.platform.weather = { (call, when) throws(PlatformError) in
        if call == step, when == moment { throw error }
      }
      if step == .registerPush {
        // Configuration succeeds without push registration, but pairing requires it.
        _ = try await bench.devices.configure(.northAmerica, for: Bench.owner)
      }
      await #expect(throws: error, "\(step) \(moment)") { try await bench.pair() }
      #expect(try bench.accounts.list(of: Bench.owner).isEmpty)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      #expect(throws: Never.self) { try bench.pairings.pairingRequests(of: Bench.owner) }
      try await bench.pair()
      let rows = try bench.vault.rows(.pairing)
      #expect(rows == 0, "\(step) \(moment) \(error)")
      #expect(try bench.vault.rows(.account) == 1)
    }
  }

  @Test(
    "if only the passcode's response is lost, the passcode is checked again, not the key"
  )
  func lostWord() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.weather = { (call, moment) throws(PlatformError) in
        if call == .checkPasscode, moment == .reply { throw .outOfReach }
      }
      await #expect(throws: PlatformError.outOfReach) { try await bench.pair() }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try await bench.pair()
      #expect(bench.platform.calls.filter { $0 == .pair(Self.key) }.count == 1)
      #expect(bench.platform.passcodes.count == 2)
    }
  }

  @Test("a refused passcode fails the pairing unless pushes work")
  func passcodeRefused() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.passcodeOutcomes = ["InvalidOneTimePasscode"]
      let info = try await bench.pair()
      #expect(info.authenticators.last?.errorCode == "InvalidOneTimePasscode")
      #expect(info.authenticators.map(\.status) == ["COMPLETED", "FAILED"])

      bench.platform.pairing.user = User(id: "u-2")
      bench.platform.pairing.isPushWorking = false
      bench.platform.passcodeOutcomes = ["UnSynchronizedClock"]
      await #expect(throws: RPCError.passcodeNotVerified) { try await bench.pair() }
      #expect(try bench.vault.rows(.account) == 1)
      #expect(try bench.vault.rows(.pairing) == 0)
    }
  }

  @Test(
    "a pairing that a crash interrupted is completed after the restart",
    arguments: [
      (TestPlatform.Call.pair(key), TestPlatform.Moment.request), (.pair(key), .reply),
      (.checkPasscode, .request),
      (.checkPasscode, .reply),
    ]
  )
  func crash(step: TestPlatform.Call, moment: TestPlatform.Moment) async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let gate = Gate(bench.platform) { $0 == step && $1 == moment }
      EventLoop.task { _ = try? await bench.pair() }
      await settle()
      #expect(gate.held.count == 1)
      gate.abandon()
      try bench.crash()
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      #expect(try bench.accounts.list(of: Bench.owner).isEmpty)
      #expect(throws: RPCError.tokenRejected, "nothing is in force yet") { try bench.receive() }
      try await bench.pairings.resumePairings()
      #expect(try bench.accounts.list(of: Bench.owner).count == 1)
      #expect(try bench.vault.rows(.pairing) == 0)
      let pairs = bench.platform.calls.filter { $0 == .pair(Self.key) }.count
      #expect(pairs == (step == .checkPasscode ? 1 : 2))
      _ = try bench.passcode(of: nil, next: false, owner: Bench.owner)
      try await bench.pairings.resumePairings()
      #expect(try bench.vault.rows(.account) == 1)
    }
  }

  @Test(
    "an interrupted pairing that cannot be completed blocks nothing and expires"
  )
  func unfinished() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.weather = { (call, moment) throws(PlatformError) in
        if call == .checkPasscode { throw .outOfReach }
      }
      await #expect(throws: PlatformError.outOfReach) { try await bench.pair() }
      try bench.crash()
      try await bench.pairings.resumePairings()
      #expect(try bench.vault.rows(.account) == 1)
      await #expect(throws: PlatformError.outOfReach) { try await bench.pair() }
      bench.clock.pass(.seconds(2 * 86_400))
      try await bench.pairings.resumePairings()
      #expect(try bench.vault.rows(.account) == 1, "a clock may be off by a day")
      bench.clock.pass(.seconds(601))
      try await bench.pairings.resumePairings()
      #expect(try bench.vault.rows(.pairing) == 0)
      #expect(try bench.vault.rows(.account) == 0, "its secret goes with it")
    }
  }

  @Test("a wrong clock does not discard a pairing that the platform may have completed")
  func wrongClock() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let gate = Gate(bench.platform) { $0 == .checkPasscode && $1 == .reply }
      EventLoop.task { _ = try? await bench.pair() }
      await settle()
      gate.abandon()
      try bench.crash()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .clockOff(by: -81_082) }
      try await bench.pairings.resumePairings()
      await #expect(throws: PlatformError.clockOff(by: -81_082)) { try await bench.pair() }
      #expect(try bench.vault.rows(.account) == 1)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try await bench.pairings.resumePairings()
      #expect(try bench.accounts.list(of: Bench.owner).count == 1)
    }
  }

  @Test("concurrent callers establish trust once, and its keys survive a crash")
  func trust() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let gate = Gate(bench.platform) { call, moment in call == .trust && moment == .reply }
      let tasks = (0..<3).map { _ in
        EventLoop.task { try await bench.devices.configure(.northAmerica, for: Bench.owner).id }
      }
      await settle()
      await #expect(throws: RPCError.cannotUpdateGeography) {
        try await bench.devices.configure(.europe, for: Bench.owner)
      }
      #expect(gate.held.count == 1)
      gate.abandon()
      try bench.crash()
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      let known = try bench.devices.identities(of: Bench.owner).map(\.id)
      #expect(known.count == 1, "the keys were on the disk before the platform heard of them")
      let identity = try await bench.devices.configure(.northAmerica, for: Bench.owner)
      #expect(identity.id == known.first && identity.deviceID == "d-1000")
      await #expect(throws: RPCError.cannotUpdateGeography) {
        try await bench.devices.configure(.europe, for: Bench.owner)
      }
      _ = tasks
    }
  }
}
