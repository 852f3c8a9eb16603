import Accounts
import ControlAPI
import EventLoop
import Fixtures
import JSON
import JSONRPC
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@testable import Approvals

/// Many pushes, each decided by several concurrent callers.
@EventLoop
private final class Races {
  /// When a caller starts: first, while the decision or the reply is in flight, or after the end.
  enum Moment: Int, CaseIterable {
    case first, sent, heard, last
  }

  struct Caller {
    let isApproval: Bool
    let moment: Moment

    var outcome: NotificationObject.State { isApproval ? .approved : .denied }
  }

  final class Race {
    let seed: UInt64
    let id: String
    let push: String
    let callers: [Caller]
    var answers: [Result<NotificationObject.State, any Error>?]

    init(seed: UInt64, id: String, callers: [Caller]) {
      (self.seed, self.id, push, self.callers) = (seed, id, "race-\(seed)", callers)
      answers = Array(repeating: nil, count: callers.count)
    }
  }

  private let bench: Bench
  private var held: [UnsafeContinuation<Void, Never>] = []

  init(_ bench: Bench) {
    self.bench = bench
    bench.platform.weather = { [self] (call, _) throws(PlatformError) in
      guard case .answer = call else { return }
      await withUnsafeContinuation { held.append($0) }
    }
  }

  /// Runs races in parallel, then restarts the daemon.
  func run(_ seeds: Range<UInt64>) async throws {
    let races = try insert(seeds)
    let before = bench.platform.decisions.count
    for moment in Moment.allCases {
      for race in races { arrive(at: race, moment) }
      await settle()
      guard moment == .sent || moment == .heard else { continue }
      // Everything in flight advances one step.
      let waiting = held
      held = []
      for continuation in waiting { continuation.resume() }
      await settle()
    }
    #expect(held.isEmpty)
    let heard = Dictionary(grouping: bench.platform.decisions[before...], by: \.about)
    for race in races { try check(race, heard: heard[race.push]?.map(\.claims["decision"]) ?? []) }
    try bench.crash()
    for race in races { #expect(try bench.state(of: race.id) == winner(race)?.outcome, "seed \(race.seed)") }
  }

  private func insert(_ seeds: Range<UInt64>) throws -> [Race] {
    let account = try #require(try bench.accounts.records(of: Bench.owner).first)
    let identity = try #require(try bench.identity())
    return try bench.vault.write { _ in
      try seeds.map { seed in
        let request = try ApprovalRequest(
          owner: Bench.owner,
          approver: "pingone.push",
          source: identity.id,
          foreignID: "race-\(seed)",
          account: account.id,
          kind: .authentication,
          state: .pending,
          content: ApprovalRequest.Content(),
          timeout: 120,
          receivedAt: bench.clock.now
        )
        // Inserted directly: through the normal path, new pushes would replace the oldest pending ones.
        try bench.approvals.table.insert(
          request,
          content: request.content.stored.serialized,
          rememberedUntil: request.expiresAt
        )
        return Race(seed: seed, id: request.id, callers: callers(seed))
      }
    }
  }

  /// Returns every order of two callers, and sometimes five random ones.
  private func callers(_ seed: UInt64) -> [Caller] {
    let moments = Moment.allCases
    if seed % 10 != 9 {
      let order = Int(seed / 10)
      return [
        Caller(isApproval: order & 1 == 0, moment: .first),
        Caller(isApproval: order & 2 == 0, moment: moments[order / 4 % 4]),
      ]
    }
    var numbers = SeededNumbers(seed)
    return (0..<5).map { index in
      Caller(
        isApproval: Bool.random(using: &numbers),
        moment: index == 0 ? .first : moments.randomElement(using: &numbers) ?? .first
      )
    }
  }

  private func arrive(at race: Race, _ moment: Moment) {
    let life = bench.life
    for (index, caller) in race.callers.enumerated() where caller.moment == moment {
      EventLoop.task {
        do {
          let answer =
            caller.isApproval
            ? try await life.approvals.approve(race.id, method: "user", number: nil, owner: Bench.owner)
            : try await life.approvals.deny(race.id, reason: "NONE", owner: Bench.owner)
          race.answers[index] = .success(try #require(answer.notification.state.choice))
        } catch { race.answers[index] = .failure(error) }
      }
    }
  }

  private func winner(_ race: Race) -> Caller? { race.callers.first { $0.moment == .first } }

  private func check(_ race: Race, heard: [JSON?]) throws {
    let first = self.winner(race)
    let winner = try #require(first)
    let story: Comment = "seed \(race.seed): \(race.callers) → \(race.answers)"
    #expect(heard == [winner.isApproval ? "approve" : "deny"], story)
    for (caller, answer) in zip(race.callers, race.answers) {
      switch try #require(answer, story) {
      case .success(let state): #expect(state == winner.outcome && state == caller.outcome, story)
      case .failure(let error):
        // Callers with the same decision join until the end.
        #expect(caller.outcome != winner.outcome || caller.moment == .last, story)
        let state = caller.moment == .last ? winner.outcome : .sending
        #expect(error as? RPCError == .alreadyAnswered(state: state.rawValue), story)
      }
    }
    #expect(try bench.state(of: race.id) == winner.outcome, story)
  }
}

@Suite("Concurrent decisions on one push", .timeLimit(.minutes(Seeds.scaled(30))))
struct RaceTests {
  @Test("one of several callers wins, and others get the winning state")
  func races() async throws {
    try await TestLoop.run {
      let task = EventLoop.task {
        let bench = try Bench(inMemory: true)
        try await bench.pair()
        let races = Races(bench)
        for block in 0..<UInt64(Seeds.scaled(4)) { try await races.run(block * 500..<(block + 1) * 500) }
      }
      try await task.value
    }
  }
}
