import EventLoop
import TestLoop
import Testing

/// Work that ends when the test finishes it, with the number of its starts.
@EventLoop
private final class Work {
  private(set) var begun = 0
  private var waiting: [CheckedContinuation<Int, any Error>] = []

  struct Failure: Error {}

  func run() async throws -> Int {
    begun += 1
    return try await withCheckedThrowingContinuation { waiting.append($0) }
  }

  func finish(_ value: Int) { waiting.removeFirst().resume(returning: value) }

  func fail() { waiting.removeFirst().resume(throwing: Failure()) }
}

/// Waits for five loop iterations, so that all ready tasks run.
@EventLoop
private func turns() async {
  for _ in 0..<5 { await EventLoop.nextTurn() }
}

@Suite("Single flight", .timeLimit(.minutes(30)))
struct SingleFlightTests {
  @Test("callers during a run share its result; a later call starts a new run")
  func shared() async throws {
    try await TestLoop.run { () async throws in
      let (flights, work) = (SingleFlight<String, Int>(), Work())
      let asking = (0..<3).map { _ in EventLoop.task { try await flights.run("a") { try await work.run() } } }
      await turns()
      #expect(work.begun == 1 && flights.isRunning("a"))
      work.finish(7)
      for task in asking {
        let value = try await task.value
        #expect(value == 7)
      }
      #expect(!flights.isRunning("a") && flights.keys.isEmpty)
      let next = EventLoop.task { try await flights.run("a") { try await work.run() } }
      await turns()
      work.finish(8)
      let value = try await next.value
      #expect(value == 8 && work.begun == 2)
    }
  }

  @Test("keys run independently, and a failure reaches every caller of its key")
  func keys() async throws {
    try await TestLoop.run { () async throws in
      let (flights, work) = (SingleFlight<Int, Int>(), Work())
      let first = flights.start(1) { try await work.run() }
      let second = flights.start(2) { try await work.run() }
      let again = flights.start(1) { try await work.run() }
      await turns()
      #expect(work.begun == 2 && Set(flights.keys) == [1, 2])
      work.fail()
      await #expect(throws: Work.Failure.self) { try await first.value }
      await #expect(throws: Work.Failure.self) { try await again.value }
      work.finish(5)
      let value = try await second.value
      #expect(value == 5)
      await flights.finished(2)
      #expect(flights.keys.isEmpty)
    }
  }

  @Test("a cancelled run frees its key at once and does not affect the next run")
  func cancelled() async throws {
    try await TestLoop.run { () async throws in
      let (flights, work) = (SingleFlight<String, Int>(), Work())
      let first = flights.start("a") {
        let value = try await work.run()
        try Task.checkCancellation()
        return value
      }
      await turns()
      flights.cancel("a")
      #expect(!flights.isRunning("a"))
      let second = flights.start("a") { try await work.run() }
      await turns()
      work.finish(1)
      await #expect(throws: CancellationError.self) { try await first.value }
      #expect(flights.isRunning("a"), "the second is still under way")
      let joined = flights.start("a") { try await work.run() }
      await turns()
      #expect(work.begun == 2)
      work.finish(2)
      let values = (try await second.value, try await joined.value)
      #expect(values == (2, 2))
    }
  }
}

@Suite("Back-off")
struct BackOffTests {
  @Test("each delay is twice the previous one, up to the maximum, until reset")
  func waits() {
    var backOff = BackOff(from: .seconds(1), to: .seconds(30))
    #expect((0..<8).map { _ in backOff.next() } == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    backOff.reset()
    #expect(backOff.next() == .seconds(1) && backOff.next() == .seconds(2))
  }

  @Test("delays stay within minimum and maximum after 200 calls")
  func constant() {
    var backOff = BackOff(from: .seconds(5), to: .seconds(5))
    for _ in 0..<200 { #expect(backOff.next() == .seconds(5)) }
    var long = BackOff(from: .milliseconds(1), to: .seconds(86_400))
    for _ in 0..<200 { #expect((.milliseconds(1)...(.seconds(86_400))).contains(long.next())) }
  }
}
