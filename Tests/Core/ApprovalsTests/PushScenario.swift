import Accounts
import Approvals
import ControlAPI
import EventLoop
import Fixtures
import Interleaving
import JSON
import JSONRPC
import PingOne
import TestPlatform
import Testing
import Time
import Vault

/// One push under random actions of two clients, platform, network, clocks and machine, driven by a seed.
@EventLoop
final class PushScenario: Scenario {
  /// An event visible from outside, in order of occurrence.
  enum Sight: Equatable {
    case state(NotificationObject.State)
    case heard(String)
    case told(Wish, NotificationObject.State)
    case refused(Wish, RPCError)
  }

  /// A call of a client.
  enum Wish: Equatable, CaseIterable {
    case approve, approve42, approve7, deny, actApprove, actDeny

    var outcome: NotificationObject.State { self == .deny || self == .actDeny ? .denied : .approved }

    var number: Int? {
      switch self {
      case .approve42: 42
      case .approve7: 7
      case .approve, .deny, .actApprove, .actDeny: nil
      }
    }
  }

  let bench: Bench
  var gate: PlatformGate
  var numbers: SeededNumbers
  /// The id of the push at the platform.
  let push: String
  var id = ""
  var story: [String]
  var sights: [Sight] = []
  /// Expiry of the push on the monotonic clock.
  var deadline = Duration.zero
  /// True after the device, account, owner or pairing was removed.
  var isUprooted = false
  /// True if the push is a test push, which needs only its receipt.
  var isTest = false
  var payload = ""
  var timeout = 0
  var expiresAt = Timestamp(seconds: 0)
  let wantsNumber: Bool
  let isStormy: Bool
  var seenEvents = 0
  var seenDecisions = 0

  init(_ seed: UInt64, on bench: Bench) {
    self.bench = bench
    numbers = SeededNumbers(seed)
    push = "seed-\(seed)"
    story = ["seed \(seed)"]
    wantsNumber = Int.random(in: 0..<4, using: &numbers) == 0
    isStormy = Int.random(in: 0..<4, using: &numbers) == 0
    gate = Self.gate(bench)
  }

  static func gate(_ bench: Bench) -> PlatformGate {
    Gate(bench.platform) { call, _ in
      switch call {
      case .answer, .status, .rotateKeys, .unpair: true
      default: false
      }
    }
  }

  func run() async throws {
    try await begin()
    if Int.random(in: 0..<4, using: &numbers) == 0 {
      // The owner repeats the answer while the next run requests the status of the push.
      for step in [ask, crash, ask] as [() async throws -> Void] {
        try await step()
        await settle()
        look()
      }
    }
    for _ in 0..<Int.random(in: 2...14, using: &numbers) {
      try await step()
      look()
    }
    // From here the network works and no new action starts.
    for _ in 0..<14 where !isOver {
      await gate.releaseAll()
      await bench.pass(.seconds(60))
      look()
    }
    await gate.releaseAll()
    look()
    try check()
  }

  func begin() async throws {
    // Finish the pending work of the previous scenario.
    await gate.releaseAll()
    bench.platform.weather = { (_, _) throws(PlatformError) in }
    let identity = try bench.identity()
    if identity.flatMap(bench.platform.key) == nil {
      _ = try? await bench.devices.rotateKeys(of: Bench.owner)
    }
    for _ in 0..<3 where try bench.pairedCount() == 0 {
      _ = try? await bench.pair()
    }
    gate = Self.gate(bench)
    (bench.platform.tries, bench.platform.lock) = (3, nil)
    let kind =
      ["authentication", "authentication", "authentication", "silent", "test"]
      .randomElement(using: &numbers) ?? ""
    isTest = kind == "test"
    let seconds = Int.random(in: 1...600, using: &numbers)
    var claims: JSONObject = [
      "jti": .string(push), "timeout": .int(seconds), "exp": .int(bench.clock.now.seconds + 600),
      "type": .string(kind),
    ]
    if wantsNumber, kind != "silent" {
      claims["numberMatching"] = ["type": "ENTER_MANUALLY"]
      bench.platform.numbers[push] = 42
    }
    if Int.random(in: 0..<12, using: &numbers) == 0 { try cancel() }
    story.append("\(kind)\(wantsNumber ? " with a number" : "") for \(seconds) s")
    (seenEvents, seenDecisions) = (bench.events.count, bench.platform.decisions.count)
    payload = try bench.push(claims)
    let object = try #require(
      try bench.pushes.process(.string(payload), owner: Bench.owner)
    )
    (id, timeout, expiresAt) = (object.id, object.timeoutDuration, object.expiresAt)
    deadline = bench.clock.uptime + .seconds(timeout)
    look()
  }

  /// The last announced state.
  var announced: NotificationObject.State? {
    sights.reversed().lazy.compactMap { if case .state(let state) = $0 { state } else { nil } }.first
  }

  var isOver: Bool {
    let isThere = (try? bench.state(of: id)) != nil
    return !isThere || (announced != .pending && announced != .sending)
  }

  func step() async throws {
    switch Int.random(in: 0..<30, using: &numbers) {
    case 0..<9: ask()
    case 9: try cancel()
    case 10, 11: await pass()
    case 12: setClock()
    case 13, 14: try await crash()
    case 15: decideElsewhere()
    case 16, 17: rotate()
    case 18: deliverAgain()
    case 19: lock()
    case 20, 21: if isStormy { try await uproot() } else { await release() }
    default: await release()
    }
    await settle()
  }

}
