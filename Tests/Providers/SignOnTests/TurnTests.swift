import EventLoop
import TestLoop
import Testing

@testable import SignOn

@Suite("Whose turn it is with a sign-on")
struct TurnTests {
  @Test("only one has the turn, and it can be taken again when it was left")
  func alone() async throws {
    try await TestLoop.run {
      let turn = Turn()
      #expect(await turn.take())
      #expect(await !turn.take())
      turn.leave()
      #expect(await turn.take())
    }
  }

  @Test("who only waits is woken by the next caller, who goes on once the turn is left")
  func woken() async throws {
    try await TestLoop.run {
      let turn = Turn()
      #expect(await turn.take())
      let next = EventLoop.task {
        let isTaken = await turn.take()
        turn.leave()
        return isTaken
      }
      #expect(await !turn.wait(for: .seconds(3600)))
      // A third one finds a turn that is about to be handed over.
      #expect(await !turn.take())
      turn.leave()
      #expect(await next.value)
      #expect(await turn.take())
    }
  }

  @Test("a wait that nobody ends is whole, and one that is interrupted is not")
  func whole() async throws {
    try await TestLoop.run {
      let turn = Turn()
      #expect(await turn.take())
      #expect(await turn.wait(for: .milliseconds(1)))
      let wait = EventLoop.task { await turn.wait(for: .seconds(3600)) }
      try await EventLoop.sleep(for: .milliseconds(1))
      turn.interrupt()
      #expect(await !wait.value)
      turn.interrupt()
    }
  }
}
