import Authenticator
import ControlAPI
import EventLoop
import Fixtures
import JSON
import JSONRPC
import TestLoop
import Testing
import Time

/// One push whose owner, platform, network and machine do what they like, as a seed says.
@EventLoop
private final class Scenario {
  /// What can be seen from outside, in its order.
  enum Sight: Equatable {
    case state(NotificationObject.State)
    case heard(String)
    case told(NotificationObject.State)
  }

  private let bench: Bench
  private var gate: Gate
  private var numbers: SeededNumbers
  private let push: String
  private let id: String
  private let wantsNumber: Bool
  private var story: [String] = []
  private var sights: [Sight] = []
  private var seenEvents: Int
  private var seenDecisions: Int

  init(_ seed: UInt64, on bench: Bench) throws {
    self.bench = bench
    numbers = SeededNumbers(seed)
    push = "seed-\(seed)"
    wantsNumber = Int.random(in: 0..<4, using: &numbers) == 0
    gate = Self.gate(bench)
    (seenEvents, seenDecisions) = (bench.events.count, bench.platform.decisions.count)
    bench.platform.tries = 3
    let timeout = Int.random(in: 1...600, using: &numbers)
    var claims: JSONObject = [
      "jti": .string(push), "timeout": .int(timeout), "exp": .int(bench.clock.now.seconds + 600),
    ]
    if wantsNumber {
      claims["numberMatching"] = ["type": "ENTER_MANUALLY"]
      bench.platform.numbers[push] = 42
    }
    id = try #require(try bench.receive(claims)?.id)
  }

  private static func gate(_ bench: Bench) -> Gate {
    Gate(bench.platform) { call, _ in
      switch call {
      case .answer, .status: true
      default: false
      }
    }
  }

  func run() async throws {
    for _ in 0..<Int.random(in: 2...14, using: &numbers) {
      try await step()
      look()
    }
    // From here the network is good and nobody does anything more.
    for _ in 0..<12 where !isOver {
      while !gate.held.isEmpty { await gate.release() }
      await bench.pass(.seconds(60))
      look()
    }
    while !gate.held.isEmpty { await gate.release() }
    look()
    try check()
  }

  private var isOver: Bool {
    let last = sights.reversed().lazy.compactMap { if case .state(let state) = $0 { state } else { nil } }
      .first
    return last != .pending && last != .sending
  }

  private func step() async throws {
    switch Int.random(in: 0..<12, using: &numbers) {
    case 0, 1: ask("approve") { try await $0.approve($1, number: nil) }
    case 2: ask("approve 42") { try await $0.approve($1, number: 42) }
    case 3: ask("approve 7") { try await $0.approve($1, number: 7) }
    case 4: ask("deny") { try await $0.deny($1) }
    case 5: try cancel()
    case 6:
      let seconds = Int.random(in: 1...100, using: &numbers)
      story.append("\(seconds) s pass")
      await bench.pass(.seconds(seconds))
    case 7: try await crash()
    case 8: decideElsewhere()
    default: await release()
    }
    await settle()
  }

  private func ask(
    _ name: String,
    _ body: @escaping @EventLoop @Sendable (Bench, String) async throws -> NotificationAnswer
  ) {
    story.append(name)
    let bench = bench
    let id = id
    EventLoop.task { [self] in
      if let answer = try? await body(bench, id) { sights.append(.told(answer.notification.state)) }
    }
  }

  private func cancel() throws {
    guard bench.platform.outcomes[push] == nil else { return }
    story.append("cancelled")
    bench.platform.outcomes[push] = .cancelled
    _ = try bench.receive(["type": "cancel", "cancels": .string(push), "jti": .string("c-" + push)])
  }

  private func decideElsewhere() {
    guard bench.platform.outcomes[push] == nil else { return }
    let outcome = [PushStatus.approved, .denied, .expired].randomElement(using: &numbers) ?? .denied
    story.append("\(outcome) elsewhere")
    bench.platform.outcomes[push] = outcome
  }

  private func release() async {
    guard let index = gate.held.indices.randomElement(using: &numbers) else { return }
    var errors: [PlatformError?] = [nil, nil, nil, .unreachable, .failed]
    if gate.held[index].moment == .request { errors += [.refused(.failedPolicy)] }
    let error = errors.randomElement(using: &numbers) ?? nil
    story.append("\(gate.held[index]): \(error.map { "\($0)" } ?? "goes on")")
    await gate.release(error, at: index)
  }

  private func crash() async throws {
    story.append("crash")
    gate.abandon()
    gate = Self.gate(bench)
    look()
    try bench.crash()
    seenEvents = bench.events.count
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
  }

  private func check() throws {
    let account: Comment = "\(story.joined(separator: "; ")) → \(sights)"
    let end = try bench.state(of: id)
    #expect(end != .pending && end != .sending, account)
    let truth = bench.platform.outcomes[push]
    switch end {
    case .approved: #expect(truth == .approved, account)
    case .denied: #expect(truth == .denied, account)
    case .cancelled: #expect(truth == .cancelled, account)
    case .pending, .sending, .expired: break
    }
    var decision: String?
    var final: NotificationObject.State?
    for sight in sights {
      switch sight {
      case .state(.pending): (decision, final) = (nil, final == nil ? nil : .pending)
      case .state(.sending): break
      case .state(let state):
        #expect(final == nil || final == state, account)
        final = state
      case .heard(let heard):
        #expect(decision == nil || decision == heard, account)
        decision = heard
      case .told(let state): #expect(state == end, account)
      }
    }
    #expect(final == nil || final == end, account)
    if wantsNumber, end == .approved, sights.contains(.told(.approved)) {
      #expect(sights.contains(.heard("approve42")), account)
    }
  }
}

@Suite("Answering a push, whatever happens in whatever order", .timeLimit(.minutes(5)))
struct InterleavingTests {
  @Test("a push is decided once, as somebody decided it, and stays so", arguments: 0..<20)
  func interleavings(block: Int) async throws {
    try await TestLoop.run {
      // A task of the loop's own does not change threads at each step.
      let task = EventLoop.task {
        let bench = try Bench(inMemory: true)
        try await bench.pair()
        for seed in 0..<60 { try await Scenario(UInt64(block * 1000 + seed), on: bench).run() }
      }
      try await task.value
    }
  }
}
