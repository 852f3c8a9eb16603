import Bus
import ControlAPI
import ControlClient
import EventLoop
import JSON
import TestLoop
import Testing

@testable import Agent

@Suite("What waits, without a daemon or a bus")
struct WaitingTests {
  @EventLoop
  private static func requests() -> Requests {
    Requests(DaemonLink(SocketChoice(flag: "/nowhere/mfad.sock", environment: { _ in nil })))
  }

  @Test("each request waits once, in the order in which they came")
  func once() async throws {
    try await TestLoop.run {
      let requests = Self.requests()
      for id in ["n1", "n2", "n1"] { requests.take(try .request(id)) }
      #expect(requests.waiting.map(\.id) == ["n2", "n1"])
    }
  }

  @Test(
    "what was answered elsewhere or is over waits no more",
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

  @Test("what nobody has told the end of is over at its time")
  func over() async throws {
    try await TestLoop.run {
      let requests = Self.requests()
      requests.take(try .request("n1", endsIn: -1))
      #expect(requests.waiting.isEmpty)
    }
  }

  @Test("a test or a cancellation is nothing to answer", arguments: ["test", "done", "authCanceled"])
  func others(kind: String) async throws {
    try await TestLoop.run {
      let requests = Self.requests()
      requests.take(try .request("n1", members: ["type": .string(kind)]))
      #expect(requests.waiting.isEmpty)
    }
  }

  @Test("without its bus nobody says that the session is locked")
  func witness() async throws {
    try await TestLoop.run {
      let witness = LockWitness(BusCall("a.b", "/a", "a.b", "Get"))
      var answers: [Bool?] = []
      witness.onAnswer = { answers.append(witness.answer) }
      witness.ask()
      await TestLoop.settle()
      #expect(answers == [false])
    }
  }
}
