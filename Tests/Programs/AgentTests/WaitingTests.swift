import Bus
import ControlAPI
import ControlClient
import EventLoop
import JSON
import TestLoop
import Testing

@testable import Agent

@Suite("pending requests without daemon and bus")
struct WaitingTests {
  @EventLoop
  private static func requests() -> Requests {
    Requests(DaemonLink(SocketChoice(flag: "/nowhere/mfad.sock", environment: { _ in nil })))
  }

  @Test("a request is listed once, in order of its last arrival")
  func once() async throws {
    try await TestLoop.run {
      let requests = Self.requests()
      for id in ["n1", "n2", "n1"] { requests.take(try .request(id)) }
      #expect(requests.waiting.map(\.id) == ["n2", "n1"])
    }
  }

  @Test(
    "an answered or ended request is removed",
    arguments: ["approved", "denied", "cancelled", "expired"]
  )
  func answered(state: String) async throws {
    try await TestLoop.run {
      let requests = Self.requests()
      var changes = 0
      requests.onChange = { changes += 1 }
      requests.take(try .request("n1"))
      requests.take(try .request("n1", state: state))
      #expect(requests.waiting.isEmpty && changes == 2)
    }
  }

  @Test("a request past its expiry is not listed")
  func over() async throws {
    try await TestLoop.run {
      let requests = Self.requests()
      requests.take(try .request("n1", endsIn: -1))
      #expect(requests.waiting.isEmpty)
    }
  }

  @Test("tests and cancellations are not listed", arguments: ["test", "done", "authCanceled"])
  func others(kind: String) async throws {
    try await TestLoop.run {
      let requests = Self.requests()
      requests.take(try .request("n1", members: ["type": .string(kind)]))
      #expect(requests.waiting.isEmpty)
    }
  }

  @Test("without a bus the session counts as unlocked")
  func witness() async throws {
    try await TestLoop.run {
      let witness = LockStateProbe(BusCall("a.b", "/a", "a.b", "Get"))
      var answers: [Bool?] = []
      witness.onAnswer = { answers.append(witness.answer) }
      witness.ask()
      await TestLoop.settle()
      #expect(answers == [false])
    }
  }
}
