import ControlAPI
import EventLoop
import JSON
import JSONRPC
import TestLoop
import TestPlatform
import Testing

@Suite("Number matching", .timeLimit(.minutes(30)))
struct NumberTests {
  @Test("number options are up to five valid numbers, only for SELECT_NUMBER")
  func options() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let odd: JSON = [1, 0, 999_999_999, 1_000_000_000, -1, "7", true, .null, 42, 43, 44]
      let push = try #require(
        try bench.receive(["numberMatching": ["type": "SELECT_NUMBER", "options": odd]])
      )
      #expect(push.content.numberOptions == [1, 0, 999_999_999, 42, 43])
      let typed = try #require(
        try bench.receive(["numberMatching": ["type": "ENTER_MANUALLY", "options": [1, 2]]])
      )
      #expect(typed.content.numberMatching == "ENTER_MANUALLY" && typed.content.numberOptions == nil)
    }
  }

  @Test("a wrong selected number is denied by the platform")
  func select() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let matching: JSON = ["type": "SELECT_NUMBER", "options": [7, 42, 77]]
      let id = try #require(try bench.receive(["jti": "p", "numberMatching": matching])?.id)
      (bench.platform.numbers["p"], bench.platform.tries) = (42, 1)
      await #expect(throws: RPCError.numberMismatch.with(["triesLeft": 0])) {
        try await bench.approve(id, number: 7)
      }
      #expect(try bench.state(of: id) == .denied)
      await #expect(throws: RPCError.alreadyAnswered(state: "denied")) {
        try await bench.approve(id, number: 42)
      }
    }
  }

  @Test("a number for a push without number matching is refused")
  func superfluous() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      await #expect(throws: RPCError.invalidParameter("number")) { try await bench.approve(id, number: 42) }
      #expect(try bench.state(of: id) == .pending)
      #expect(bench.platform.decisions.isEmpty)
      #expect(try await bench.approve(id).notification.state == .approved)
    }
  }

  @Test("require_number forbids approving a push without number matching")
  func configured() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Bench.configuration + "\nrequire_number = yes")
      try await bench.pair()
      let id = try #require(try bench.receive()?.id)
      for number in [nil, 42] as [Int?] {
        await #expect(throws: RPCError.numberRequired) { try await bench.approve(id, number: number) }
      }
      #expect(try await bench.deny(id).notification.state == .denied)
      let numbered = try #require(
        try bench.receive(["jti": "p", "numberMatching": ["type": "ENTER_MANUALLY"]])?.id
      )
      bench.platform.numbers["p"] = 42
      #expect(try await bench.approve(numbered, number: 42).notification.state == .approved)
      // A silent push needs no number.
      let silent = try #require(try bench.receive(["type": "silent"])?.id)
      await settle()
      #expect(try bench.state(of: silent) == .approved)
    }
  }
}
