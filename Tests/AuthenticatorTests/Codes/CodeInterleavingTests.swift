import Authenticator
import ControlAPI
import EventLoop
import Fixtures
import JSON
import TestLoop
import Testing
import Time

/// One code whose owner, platform, network and machine do what they like, as a seed says.
@EventLoop
private final class CodeScenario {
  private let bench: Bench
  private var gate: Gate
  private var numbers: SeededNumbers
  private let request: String
  private let id: String
  private var story: [String] = []
  private var told: [AuthenticationObject.Status] = []
  private let firstDecision: Int

  init(_ seed: UInt64, on bench: Bench) async throws {
    self.bench = bench
    numbers = SeededNumbers(seed)
    request = "seed-\(seed)"
    bench.platform.code = TestPlatform.Code(
      lifetime: Int.random(in: 1...300, using: &numbers),
      request: request
    )
    gate = Self.gate(bench)
    firstDecision = bench.platform.decisions.count
    id = try await bench.authenticator.startAuthentication("AB12CD34", owner: Bench.owner).id
  }

  private static func gate(_ bench: Bench) -> Gate {
    Gate(bench.platform) { call, _ in if case .answerCode = call { true } else { false } }
  }

  func run() async throws {
    for _ in 0..<Int.random(in: 2...12, using: &numbers) {
      try await step()
      await settle()
    }
    // From here the network is good and nobody does anything more.
    for _ in 0..<8 {
      while !gate.held.isEmpty { await gate.release() }
      await bench.pass(.seconds(60))
    }
    try check()
  }

  private func step() async throws {
    switch Int.random(in: 0..<8, using: &numbers) {
    case 0, 1: ask(true)
    case 2: ask(false)
    case 3:
      let seconds = Int.random(in: 1...60, using: &numbers)
      story.append("\(seconds) s pass")
      await bench.pass(.seconds(seconds))
    case 4: try crash()
    default: await release()
    }
  }

  private func ask(_ approves: Bool) {
    story.append(approves ? "approve" : "deny")
    let (bench, id) = (bench, id)
    EventLoop.task { [self] in
      let authenticator = bench.authenticator
      let status =
        approves
        ? try? await authenticator.approveAuthentication(id, user: nil, owner: Bench.owner)
        : try? await authenticator.denyAuthentication(id, user: nil, owner: Bench.owner)
      if let status { told.append(status) }
    }
  }

  private func release() async {
    guard let index = gate.held.indices.randomElement(using: &numbers) else { return }
    var errors: [PlatformError?] = [nil, nil, .unreachable, .failed]
    if gate.held[index].moment == .request { errors.append(.refused(.failedPolicy)) }
    let error = errors.randomElement(using: &numbers) ?? nil
    story.append("\(gate.held[index]): \(error.map { "\($0)" } ?? "goes on")")
    await gate.release(error, at: index)
  }

  private func crash() throws {
    story.append("crash")
    gate.abandon()
    gate = Self.gate(bench)
    try bench.crash()
    try bench.authenticator.resumeCodes()
  }

  private func check() throws {
    let account: Comment = "\(story.joined(separator: "; "))"
    let codes = try bench.authenticator.authentications(of: Bench.owner)
    let end = try #require(codes.first { $0.id == id }?.status, account)
    let truth = bench.platform.code.outcome
    // What the platform took counts; a code is over only where it took nothing that was heard in time.
    #expect(end == truth || end == .expired, account)
    #expect(told.allSatisfy { $0 == end }, account)
    let heard = bench.platform.decisions[firstDecision...].filter { $0.about == request }
    if let truth {
      #expect(heard.contains { ($0.claims["decision"] == "approve") == (truth == .completed) }, account)
    }
    let ends = bench.events.filter { $0.payload["id"]?.string == id && $0.payload["status"] != "CLAIMED" }
    #expect(ends.count <= 1 || Set(ends.map { $0.payload["status"]?.string }).count == 1, account)
  }
}

@Suite("Deciding on a code, whatever happens in whatever order", .timeLimit(.minutes(2)))
struct CodeInterleavingTests {
  @Test("a code ends once, as somebody decided it or with its time", arguments: 0..<8)
  func interleavings(block: Int) async throws {
    try await TestLoop.run {
      // A task of the loop's own does not change threads at each step.
      let task = EventLoop.task {
        let bench = try Bench(inMemory: true)
        try await bench.pair()
        for seed in 0..<40 {
          let scenario = try await CodeScenario(UInt64(block * 1000 + seed), on: bench)
          try await scenario.run()
        }
      }
      try await task.value
    }
  }
}
