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

/// One authentication code.
///
/// A seed determines the actions of two clients, platform, network, clocks and
/// machine.
@EventLoop
final class CodeScenario: Scenario {
  typealias Status = AuthenticationObject.Status

  /// A decision that a client requests, for a given user or for the only user.
  struct Wish: Equatable {
    let isApproval: Bool
    let user: String?

    var outcome: Status { isApproval ? .completed : .denied }
  }

  /// An event that is visible from outside.
  ///
  /// The scenario records events in order.
  enum Sight: Equatable {
    case status(Status)
    case heard(String)
    case withdrawn
    case told(Wish, Status)
    case refused(Wish, RPCError)
  }

  private let bench: Bench
  private var gate: PlatformGate
  var numbers: SeededNumbers
  private let text: String
  private let request: String
  private let users: [User]
  private let lifetime: Int
  private var id: String?
  private var expiresAt = Timestamp(seconds: 0)
  private var deadline = Duration.zero
  var story: [String]
  private var sights: [Sight] = []
  private var seenEvents: Int
  private var seenDecisions: Int

  init(_ seed: UInt64, on bench: Bench) {
    self.bench = bench
    numbers = SeededNumbers(seed)
    text = "C" + String(1_000_000 + seed)
    request = "r-\(seed)"
    users = [User(id: "u-1"), User(id: "u-2")].dropLast(Int.random(in: 0...1, using: &numbers))
    lifetime = Int.random(in: 1...300, using: &numbers)
    story = ["seed \(seed): \(users.count) users, \(lifetime) s"]
    bench.platform.codes[text] = TestPlatform.Code(users: users, lifetime: lifetime, request: request)
    gate = Self.gate(bench)
    (seenEvents, seenDecisions) = (bench.events.count, bench.platform.decisions.count)
  }

  private static func gate(_ bench: Bench) -> PlatformGate {
    Gate(bench.platform) { call, _ in
      switch call {
      case .claim, .answerCode, .rotateKeys: true
      default: false
      }
    }
  }

  func run() async throws {
    for _ in 0..<Int.random(in: 4...18, using: &numbers) {
      try await step()
      try look()
    }
    // From here on the network works and no client acts.
    for _ in 0..<8 {
      await gate.releaseAll()
      await bench.pass(.seconds(60))
      try look()
    }
    await gate.releaseAll()
    try look()
    try check()
    bench.platform.weather = { (_, _) throws(PlatformError) in }
    for _ in 0..<3 where try bench.pairedCount() == 0 {
      _ = try? await bench.pair()
    }
  }

  private func step() async throws {
    switch Int.random(in: 0..<24, using: &numbers) {
    case _ where id == nil && Int.random(in: 0..<2, using: &numbers) == 0: claim()
    case 0: claim()
    case 1..<7: ask()
    case 7, 8:
      let seconds = Int.random(in: 1...100, using: &numbers)
      story.append("\(seconds) s pass")
      await bench.pass(.seconds(seconds))
    case 9:
      let seconds = Int.random(in: -100_000...100_000, using: &numbers)
      story.append("the clock is set by \(seconds) s")
      bench.clock.set(bench.clock.now.adding(seconds: seconds))
    case 10, 11: try await crash()
    case 12 where bench.platform.codes[text]?.outcome == nil:
      let outcome = [Status.completed, .denied, .expired].randomElement(using: &numbers) ?? .denied
      story.append("\(outcome) elsewhere")
      bench.platform.codes[text]?.outcome = outcome
    case 13:
      story.append("new keys")
      let life = bench.life
      EventLoop.task { _ = try? await life.devices.rotateKeys(of: Bench.owner) }
    case 14 where Int.random(in: 0..<6, using: &numbers) == 0:
      story.append("the device is forgotten")
      bench.platform.forgetDevices()
    default: await release()
    }
    await settle()
  }

  private func claim() {
    story.append("claim")
    let life = bench.life
    let text = text
    EventLoop.task { [self] in
      guard let code = try? await life.codes.start(text, owner: Bench.owner) else { return }
      guard id == nil else {
        if id != code.id { fail("one code was claimed twice") }
        return
      }
      (id, expiresAt) = (code.id, code.expiresAt)
      deadline = bench.clock.uptime + .seconds(lifetime)
    }
  }

  private func ask() {
    guard let id else { return }
    let user = ([nil] + users.map { $0.id }).randomElement(using: &numbers) ?? nil
    let wish = Wish(isApproval: Bool.random(using: &numbers), user: user)
    // A client that repeats a decision in flight waits for the platform's response to it.
    let isLate =
      bench.clock.uptime >= deadline && !gate.held.contains { $0.call == .answerCode(request) }
    story.append("\(wish.isApproval ? "approve" : "deny") \(user ?? "-")\(isLate ? ", too late" : "")")
    let life = bench.life
    EventLoop.task { [self] in
      do {
        let status =
          wish.isApproval
          ? try await life.codes.approve(id, user: user, owner: Bench.owner)
          : try await life.codes.deny(id, user: user, owner: Bench.owner)
        if isLate { fail("a decision counted after its time") }
        sights.append(.told(wish, status))
      } catch let error as RPCError { sights.append(.refused(wish, error)) } catch is PlatformError {
      } catch is Refusal {
      } catch { fail("\(error)") }
    }
  }

  private func release() async {
    await release(from: gate) { visit in
      [nil, nil, nil, .outOfReach, .brokenDown] + (visit.moment == .request ? [.refused(.failedPolicy)] : [])
    } before: { visit, error in
      guard visit.call == .answerCode(request), case .refused = error else { return }
      try? look()
      sights.append(.withdrawn)
    }
  }

  private func crash() async throws {
    story.append("crash")
    gate.abandon()
    gate = Self.gate(bench)
    try look()
    try bench.crash()
    seenEvents = bench.events.count
    let left = max(0, expiresAt.seconds(since: bench.clock.now))
    deadline = bench.clock.uptime + .seconds(min(left, 30 * 60))
    try await bench.approvals.resume()
  }

  /// Records new platform decisions and events, and checks that the shown status equals the announced one.
  private func look() throws {
    for decision in bench.platform.decisions[seenDecisions...] where decision.about == request {
      let (name, user) = (decision.claims["decision"]?.string, decision.claims["userId"]?.string)
      sights.append(.heard("\(name ?? "") \(user ?? "-")"))
    }
    seenDecisions = bench.platform.decisions.count
    for event in bench.events[seenEvents...] where event.topic == .authentication {
      guard id == nil || event.payload["id"]?.string == id,
        let status = event.payload["status"]?.string.flatMap(Status.init(rawValue:))
      else { continue }
      sights.append(.status(status))
    }
    seenEvents = bench.events.count
    guard let shown = try shown, let announced else { return }
    if shown != announced, shown != .expired || announced != .claimed || bench.clock.uptime < deadline {
      fail("\(shown) is shown and \(announced) was announced")
    }
  }

  private var shown: Status? {
    get throws { try bench.codes.list(of: Bench.owner).first { $0.id == id }?.status.choice }
  }

  private var announced: Status? {
    sights.reversed().lazy.compactMap { if case .status(let status) = $0 { status } else { nil } }.first
  }

  var seen: String { "\(sights)" }

  private func check() throws {
    guard id != nil else { return }
    let end = try #require(try shown)
    let truth = bench.platform.codes[text]?.outcome
    expect(end != .claimed, "it does not end")
    expect(end == .expired || end == truth, "the platform says \(truth.map { "\($0)" } ?? "nothing")")
    var decision: String?
    var last: Status?
    for sight in sights {
      switch sight {
      case .status(let status):
        expect(last == nil ? status == .claimed : last == .claimed, "\(status) came after the end")
        last = status
      case .heard(let heard):
        expect(decision == nil || decision == heard, "the platform heard \(heard) after another decision")
        decision = heard
      case .withdrawn: decision = nil
      case .told(let wish, let status):
        expect(status == wish.outcome || status == .expired, "\(wish) was asked and \(status) answered")
        expect(status == end, "\(status) was told")
      case .refused(_, let error) where error.code == RPCError.alreadyAnswered.code:
        let status = error.details["state"]?.string.flatMap(Status.init(rawValue:))
        expect(status != nil && (status == .claimed || status == end), "\(error.details) was told")
      case .refused(_, .expired): expect(end == .expired || end == truth, "an expiry was told")
      case .refused: break
      }
    }
    expect(last == end, "the end was not announced")
  }
}
