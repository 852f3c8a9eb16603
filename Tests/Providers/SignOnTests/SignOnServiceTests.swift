import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import JSONRPC
import Testing

@testable import SignOn

private func page() -> CourierResponse { .step(Callbacks.name) }

@Suite("lifetime of a sign-on", .timeLimit(.minutes(30)))
struct SignOnServiceTests {
  @Test("a sign-on expires after ten minutes, and is forgotten after ten more")
  func lifetime() async throws {
    try await JourneyBench.run([page(), page()]) { bench in
      let node = try await bench.start()
      #expect(bench.timers.waiting.map(\.delay) == [.seconds(600)])
      bench.timers.pass()
      await #expect(throws: RPCError.expired) { _ = try await bench.next(node) }
      #expect(throws: RPCError.expired) { try bench.service.cancel(node.login, owner: JourneyBench.owner) }
      #expect(bench.timers.waiting.map(\.delay) == [.seconds(600)])
      bench.timers.pass()
      await #expect(throws: RPCError.noSuch("sign-on")) { _ = try await bench.next(node) }
      #expect(try await bench.start().outcome == .next)
    }
  }

  @Test("the expiry of a sign-on also ends a wait")
  func waiting() async throws {
    let polling: JSON = [
      "type": "PollingWaitCallback", "output": [["name": "waitTime", "value": "600000"]],
    ]
    try await JourneyBench.run([.step(polling)]) { bench in
      let node = try await bench.start()
      let wait = EventLoop.task { try await bench.next(node) }
      await Task.yield()
      bench.timers.pass()
      await #expect(throws: RPCError.expired) { _ = try await wait.value }
    }
  }

  @Test("an owner may run four sign-ons, and those of other owners do not count")
  func quota() async throws {
    try await JourneyBench.run((0..<6).map { _ in page() }) { bench in
      var nodes: [Node] = []
      for _ in 0..<4 { nodes.append(try await bench.start()) }
      let refusal = try #require(await #expect(throws: RPCError.self) { _ = try await bench.start() })
      let quota = RPCError.quota(4, "sign-ons")
      #expect(refusal.code == quota.code && refusal.details == quota.details)
      #expect(refusal.message.hasPrefix("\(quota.message); the oldest ends within "))
      let call = try LoginStart(parsing: ["method": "journey", "journey": "Login"])
      #expect(try await bench.service.start(call, owner: 1001).outcome == .next)
      try bench.service.cancel(nodes[0].login, owner: JourneyBench.owner)
      #expect(try await bench.start().outcome == .next)
    }
  }

  @Test("the parameters of sign-ons count as memory of their owner, also many short ones")
  func parameters() async throws {
    try await JourneyBench.run((0..<6).map { _ in page() }) { bench in
      let many = JSONObject((0..<4500).map { ("p\($0)", "1") })
      let call = LoginStart(method: .journey, journey: "Login", parameters: many)
      let nodes = [
        try await bench.service.start(call, owner: JourneyBench.owner),
        try await bench.service.start(call, owner: JourneyBench.owner),
        try await bench.service.start(call, owner: JourneyBench.owner),
        try await bench.service.start(call, owner: JourneyBench.owner),
      ]
      #expect(nodes.prefix(3).allSatisfy { $0.outcome == .next } && nodes[3].outcome == .failure)
      #expect(nodes[3].cause == "TOO_LARGE")
      try bench.service.cancel(nodes[0].login, owner: JourneyBench.owner)
      #expect(try await bench.service.start(call, owner: JourneyBench.owner).outcome == .next)
    }
  }

  @Test("a sign-on of another owner is not found")
  func owners() async throws {
    try await JourneyBench.run([page()]) { bench in
      let node = try await bench.start()
      #expect(throws: RPCError.noSuch("sign-on")) { try bench.service.cancel(node.login, owner: 1001) }
      let call = try LoginNext(parsing: ["login": .string(node.login)])
      await #expect(throws: RPCError.noSuch("sign-on")) {
        _ = try await bench.service.next(call, owner: 1001)
      }
    }
  }

  @Test("a sign-on fails after five hundred responses")
  func endless() async throws {
    try await JourneyBench.run((0..<600).map { _ in page() }) { bench in
      var node = try await bench.start()
      var answers = 1
      while node.outcome == .next {
        node = try await bench.next(node, ["IDToken1": "ann"])
        answers += 1
      }
      #expect(node.outcome == .failure && node.cause == "TOO_MANY_STEPS" && answers == 501)
    }
  }
}
