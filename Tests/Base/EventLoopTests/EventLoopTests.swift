import EventLoop
import Glibc
import TestLoop
import Testing

@Suite("Event loop", .timeLimit(.minutes(30)))
struct EventLoopTests {
  @Test("isolated code runs on the loop thread, also after a sleep")
  func oneThread() async throws {
    try await TestLoop.run {
      let thread = pthread_self()
      try await EventLoop.sleep(for: .milliseconds(1))
      #expect(pthread_self() == thread)
      let other = await Task { @EventLoop in pthread_self() }.value
      #expect(other == thread)
    }
  }

  @Test("timers fire in the order of their deadlines; a cancelled timer never fires")
  func timers() async throws {
    let order = try await TestLoop.run {
      var order: [Int] = []
      var timers: [Timer] = []
      var taken = Duration.zero
      repeat {
        // Deadlines have the order of the delays only if all timers are set at about the same time.
        for timer in timers { timer.cancel() }
        timers = []
        taken = ContinuousClock().measure {
          for delay in [30, 10, 20] {
            timers.append(EventLoop.after(.milliseconds(delay)) { order.append(delay) })
          }
        }
      } while taken > .milliseconds(5)
      EventLoop.after(.milliseconds(15)) { order.append(-1) }.cancel()
      try await EventLoop.sleep(for: .milliseconds(40))
      return order
    }
    #expect(order == [10, 20, 30])
  }

  @Test("a cancelled sleep ends at once")
  func cancelledSleep() async throws {
    try await TestLoop.run {
      let task = Task { @EventLoop in try await EventLoop.sleep(for: .seconds(3600)) }
      try await EventLoop.sleep(for: .milliseconds(1))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test("a timer fires between long tasks, and the tasks keep their order")
  func longTasks() async throws {
    let order = try await TestLoop.run {
      var order: [Int] = []
      EventLoop.after(.milliseconds(1)) { order.append(-1) }
      let tasks = (0..<20).map { number in
        EventLoop.task {
          let begin = ContinuousClock.now
          while begin.duration(to: .now) < .milliseconds(3) {}
          order.append(number)
        }
      }
      for task in tasks { await task.value }
      return order
    }
    #expect(order.filter { $0 >= 0 } == Array(0..<20))
    #expect(try #require(order.firstIndex(of: -1)) < 10)
  }

  @Test("a watched descriptor calls its handler until the watch is cancelled")
  func watching() async throws {
    let reads = try await TestLoop.run {
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      var reads = 0
      let readEnd = ends[0]
      let watch = try EventLoop.watch(readEnd, for: .readable) { _ in
        var byte: UInt8 = 0
        if read(readEnd, &byte, 1) == 1 { reads += 1 }
      }
      for count in 1...3 {
        _ = write(ends[1], "x", 1)
        while reads < count { try await EventLoop.sleep(for: .milliseconds(1)) }
      }
      watch.cancel()
      _ = write(ends[1], "x", 1)
      try await EventLoop.sleep(for: .milliseconds(2))
      close(ends[0])
      close(ends[1])
      return reads
    }
    #expect(reads == 3)
  }

  @Test("end-of-turn work runs after the handlers and before the next wait")
  func endOfTurn() async throws {
    let order = try await TestLoop.run {
      var order: [String] = []
      EventLoop.atEndOfTurn { order.append("end") }
      order.append("handler")
      try await EventLoop.sleep(for: .milliseconds(1))
      return order
    }
    #expect(order == ["handler", "end"])
  }
}
