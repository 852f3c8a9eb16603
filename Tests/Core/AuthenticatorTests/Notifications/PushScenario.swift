import Authenticator
import ControlAPI
import EventLoop
import Fixtures
import JSON
import JSONRPC
import Testing
import Time

/// One push whose owner's two clients, platform, network, clocks and machine do what they like, as a seed says.
@EventLoop
final class PushScenario {
  /// What can be seen from outside, in its order.
  enum Sight: Equatable {
    case state(NotificationObject.State)
    case heard(String)
    case told(Wish, NotificationObject.State)
    case refused(Wish, RPCError)
  }

  /// What a client wants of the push.
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
  var gate: Gate
  var numbers: SeededNumbers
  /// The id by which the platform knows the push.
  let push: String
  var id = ""
  var story: [String]
  var sights: [Sight] = []
  /// When the push is over, by the clock that nobody can set.
  var deadline = Duration.zero
  /// Whether the platform forgot the device, or the account or its owner went away.
  var isUprooted = false
  /// Whether its receipt is all that is wanted of it.
  private(set) var isTest = false
  private var payload = ""
  private var timeout = 0
  private var expiresAt = Timestamp(seconds: 0)
  private let wantsNumber: Bool
  private let isStormy: Bool
  private var seenEvents = 0
  private var seenDecisions = 0

  init(_ seed: UInt64, on bench: Bench) {
    self.bench = bench
    numbers = SeededNumbers(seed)
    push = "seed-\(seed)"
    story = ["seed \(seed)"]
    wantsNumber = Int.random(in: 0..<4, using: &numbers) == 0
    isStormy = Int.random(in: 0..<4, using: &numbers) == 0
    gate = Self.gate(bench)
  }

  private static func gate(_ bench: Bench) -> Gate {
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
      // Its owner says the same again while the next life asks where the push stands.
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
    // From here the network is good and nobody does anything more.
    for _ in 0..<14 where !isOver {
      while !gate.held.isEmpty { await gate.release() }
      await bench.pass(.seconds(60))
      look()
    }
    while !gate.held.isEmpty { await gate.release() }
    look()
    try check()
  }

  private func begin() async throws {
    // What the last scenario did may have to be found out first.
    while !gate.held.isEmpty { await gate.release() }
    bench.platform.weather = { (_, _) throws(PlatformError) in }
    let identity = try bench.authenticator.identity(of: Bench.owner)
    if identity.flatMap(bench.platform.key) == nil {
      _ = try? await bench.authenticator.rotateKeys(of: Bench.owner)
    }
    for _ in 0..<3 where try bench.authenticator.ownerStatus(Bench.owner).paired == 0 {
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
      try bench.authenticator.process(.string(payload), owner: Bench.owner)
    )
    (id, timeout, expiresAt) = (object.id, object.timeoutDuration, object.expiresAt)
    deadline = bench.clock.uptime + .seconds(timeout)
    look()
  }

  /// The state that was announced last.
  var announced: NotificationObject.State? {
    sights.reversed().lazy.compactMap { if case .state(let state) = $0 { state } else { nil } }.first
  }

  private var isOver: Bool {
    let isThere = (try? bench.state(of: id)) != nil
    return !isThere || (announced != .pending && announced != .sending)
  }

  private func step() async throws {
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

  /// One of the two clients wants something; both may wait for an answer at the same time.
  private func ask() {
    guard let wish = Wish.allCases.randomElement(using: &numbers) else { return }
    let client = Bool.random(using: &numbers) ? "A" : "B"
    let isLate = bench.clock.uptime >= deadline
    story.append("\(client): \(wish)\(isLate ? ", too late" : "")")
    let (authenticator, id, payload) = (bench.authenticator, id, payload)
    EventLoop.task { [self] in
      do {
        let owner = Bench.owner
        let object: NotificationObject?
        switch wish {
        case .approve, .approve42, .approve7:
          object = try await authenticator.approve(id, method: "mfa", number: wish.number, owner: owner)
            .notification
        case .deny: object = try await authenticator.deny(id, reason: "NONE", owner: owner).notification
        case .actApprove, .actDeny:
          let action: NotificationAction = wish == .actApprove ? .approve : .deny
          object = try await authenticator.act(action, on: .string(payload), method: "mfa", owner: owner)
        }
        let isAct = wish == .actApprove || wish == .actDeny
        // A button does nothing to what asks for no sign-on, and one that came again after its account is another.
        guard let object, let state = object.state.choice, object.id == id,
          !isAct || object.kind == .authentication
        else { return }
        if isLate, !isAct { fail("an answer counted after its time") }
        sights.append(.told(wish, state))
      } catch let error as RPCError { sights.append(.refused(wish, error)) } catch is PlatformError {
      } catch { fail("\(error)") }
    }
  }

  private func cancel() throws {
    guard bench.platform.outcomes[push] == nil else { return }
    story.append("cancelled")
    bench.platform.outcomes[push] = .cancelled
    _ = try? bench.receive(["type": "cancel", "cancels": .string(push), "jti": .string("c-" + push)])
  }

  private func pass() async {
    let seconds = Int.random(in: 1...100, using: &numbers)
    story.append("\(seconds) s pass")
    await bench.pass(.seconds(seconds))
  }

  /// An administrator, or a time server, sets the civil clock.
  private func setClock() {
    let seconds = Int.random(in: -100_000...100_000, using: &numbers)
    story.append("the clock is set by \(seconds) s")
    bench.clock.set(bench.clock.now.adding(seconds: seconds))
  }

  private func decideElsewhere() {
    guard bench.platform.outcomes[push] == nil else { return }
    let outcome = [PushStatus.approved, .denied, .expired].randomElement(using: &numbers) ?? .denied
    story.append("\(outcome) elsewhere")
    bench.platform.outcomes[push] = outcome
  }

  private func rotate() {
    story.append("new keys")
    let authenticator = bench.authenticator
    EventLoop.task { _ = try? await authenticator.rotateKeys(of: Bench.owner) }
  }

  private func deliverAgain() {
    story.append("delivered again")
    _ = try? bench.authenticator.process(.string(payload), owner: Bench.owner)
  }

  private func lock() {
    if bench.platform.lock == nil {
      story.append("the account is locked")
      let until = bench.clock.now.adding(seconds: Int.random(in: 1...100, using: &numbers))
      bench.platform.lock = AccountLock(policy: "p", expiresAt: until)
    } else {
      story.append("the account is open")
      bench.platform.lock = nil
    }
  }

  /// What the push hangs on goes away.
  private func uproot() async throws {
    isUprooted = true
    let authenticator = bench.authenticator
    switch Int.random(in: 0..<4, using: &numbers) {
    case 0:
      story.append("the device is forgotten")
      bench.platform.forgetDevices()
      guard let account = try authenticator.accounts(of: Bench.owner).first?.id else { return }
      EventLoop.task { _ = try? await authenticator.renameAccount(account, to: "n", owner: Bench.owner) }
    case 1:
      let isLocal = Bool.random(using: &numbers)
      guard let account = try authenticator.accounts(of: Bench.owner).first?.id else { return }
      story.append("the account is removed\(isLocal ? " here" : "")")
      EventLoop.task {
        _ = try? await authenticator.removeAccount(account, localOnly: isLocal, owner: Bench.owner)
      }
    case 2:
      story.append("the owner is erased")
      try authenticator.erase(owner: Bench.owner)
    default:
      story.append("the user is paired again")
      EventLoop.task { _ = try? await authenticator.pair("01ABCDEFGHJKMN", owner: Bench.owner) }
    }
  }

  private func release() async {
    guard let index = gate.held.indices.randomElement(using: &numbers) else { return }
    var errors: [PlatformError?] = [nil, nil, nil, .unreachable, .failed]
    if gate.held[index].moment == .request { errors.append(.refused(.failedPolicy)) }
    let error = errors.randomElement(using: &numbers) ?? nil
    story.append("\(gate.held[index]): \(error.map { "\($0)" } ?? "goes on")")
    await gate.release(error, at: index)
  }

  private func crash() async throws {
    story.append("crash")
    await settle()
    gate.abandon()
    gate = Self.gate(bench)
    look()
    try bench.crash()
    seenEvents = bench.events.count
    let left = max(0, expiresAt.seconds(since: bench.clock.now))
    deadline = bench.clock.uptime + .seconds(min(left, timeout))
    let authenticator = bench.authenticator
    EventLoop.task { try? await authenticator.resumeNotifications() }
  }

  /// Notes what was heard and announced since the last look; what is heard is announced afterwards.
  private func look() {
    for decision in bench.platform.decisions[seenDecisions...] where decision.about == push {
      sights.append(
        .heard("\(decision.claims["decision"]?.string ?? "")\(decision.claims["number"]?.int ?? 0)")
      )
    }
    seenDecisions = bench.platform.decisions.count
    for event in bench.events[seenEvents...] where event.payload["id"]?.string == id {
      guard let state = event.payload["state"]?.string.flatMap(NotificationObject.State.init(rawValue:))
      else {
        continue
      }
      sights.append(.state(state))
    }
    seenEvents = bench.events.count
    checkShown()
  }
}
