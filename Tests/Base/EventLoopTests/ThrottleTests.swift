import EventLoop
import TestLoop
import Testing

@Suite("Throttle of long work", .timeLimit(.minutes(30)))
struct ThrottleTests {
  private struct Failure: Error {}

  @Test("batches run in order, one at a time, with an equally long pause between them")
  func pieces() async throws {
    try await TestLoop.run {
      let pace = Throttle(share: 2)
      var ends: [(piece: Int, begin: Duration, end: Duration)] = []
      let tasks = (0..<4).map { piece in
        EventLoop.task {
          await pace.run {
            let begin = EventLoop.uptime
            while EventLoop.uptime < begin + .milliseconds(5) {}
            ends.append((piece, begin, EventLoop.uptime))
          }
        }
      }
      for task in tasks { await task.value }
      #expect(ends.map(\.piece) == [0, 1, 2, 3])
      for (one, next) in zip(ends, ends.dropFirst()) { #expect(next.begin - one.end >= .milliseconds(5)) }
    }
  }

  @Test("a failed batch does not stop the next one")
  func failure() async throws {
    try await TestLoop.run {
      let pace = Throttle(share: 5)
      let wrong = EventLoop.task { try await pace.run { throw Failure() } }
      let right = EventLoop.task { await pace.run { 7 } }
      await #expect(throws: Failure.self) { try await wrong.value }
      let value = await right.value
      #expect(value == 7)
    }
  }
}
