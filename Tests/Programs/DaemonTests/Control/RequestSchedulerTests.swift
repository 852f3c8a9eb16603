import EventLoop
import Synchronization
import TestLoop
import Testing
import Time

@testable import Daemon

/// Connections with requests.
///
/// Each request takes some milliseconds of a test clock.
@EventLoop
private final class Crowd {
  /// Names of the served connections, in order.
  private(set) var served: [String] = []
  /// Number of requests per loop iteration, for each iteration that ran any.
  private(set) var servedInTurns: [Int] = []
  private var servedInTurn = 0
  private let clock = Clock()
  private let scheduler: RequestScheduler
  private var places: [String: RunQueueEntry] = [:]
  private var left: [String: Int] = [:]

  private final class Clock: Sendable {
    let milliseconds = Mutex(0)
  }

  init() {
    let clock = clock
    scheduler = RequestScheduler(
      time: TimeSource(
        now: { Timestamp(seconds: 0) },
        uptime: { .milliseconds(clock.milliseconds.withLock { $0 }) }
      )
    )
  }

  /// Adds a connection.
  ///
  /// The first letter of its name identifies its owner.
  ///
  /// With `inTasks`, a task that the request starts uses the time.
  func add(_ name: String, requests: Int, milliseconds: Int = 0, inTasks: Bool = false) {
    left[name, default: 0] += requests
    let place =
      places[name]
      ?? RunQueueEntry(of: UInt32(name.utf8.first ?? 0)) { [self] in
        guard let count = left[name], count > 0 else { return false }
        left[name] = count - 1
        note(name)
        let spend: @EventLoop @Sendable () -> Void = { [clock] in
          clock.milliseconds.withLock { $0 += milliseconds }
        }
        if inTasks { EventLoop.task(spend) } else { spend() }
        return count > 1
      }
    places[name] = place
    scheduler.add(place)
  }

  private func note(_ name: String) {
    served.append(name)
    servedInTurn += 1
    guard servedInTurn == 1 else { return }
    EventLoop.atEndOfTurn { [self] in
      servedInTurns.append(servedInTurn)
      servedInTurn = 0
    }
  }

  /// Ends a connection.
  func end(_ name: String) {
    left[name] = nil
    places[name]?.leave()
  }

  /// Runs the loop until no request is left.
  func finish() async {
    while left.values.contains(where: { $0 > 0 }) { await TestLoop.turn() }
  }
}

@Suite("request scheduler")
struct RequestSchedulerTests {
  @Test("owners take turns, and so do the connections of each owner")
  func turns() async throws {
    try await TestLoop.run {
      let crowd = Crowd()
      crowd.add("a1", requests: 4)
      crowd.add("a2", requests: 2)
      crowd.add("b1", requests: 3)
      crowd.add("c1", requests: 1)
      await crowd.finish()
      #expect(crowd.served == ["a1", "b1", "c1", "a2", "b1", "a1", "b1", "a2", "a1", "a1"])
    }
  }

  @Test(
    "a new owner is next, however many requests another owner has",
    arguments: [false, true]
  )
  func late(inTasks: Bool) async throws {
    try await TestLoop.run {
      let crowd = Crowd()
      crowd.add("a1", requests: 1000, milliseconds: 3, inTasks: inTasks)
      crowd.add("a2", requests: 1000, milliseconds: 3, inTasks: inTasks)
      await TestLoop.turn()
      let before = crowd.served.count
      crowd.add("b1", requests: 1, milliseconds: 3, inTasks: inTasks)
      while crowd.served.count < before + 2 { await TestLoop.turn() }
      #expect(crowd.served[before..<before + 2].contains("b1"))
      #expect((1...2).contains(crowd.servedInTurns.max() ?? 0), "\(crowd.servedInTurns)")
    }
  }

  @Test("adding a connection again keeps its position, and one without requests uses no turn")
  func repeated() async throws {
    try await TestLoop.run {
      let crowd = Crowd()
      crowd.add("a1", requests: 1)
      for _ in 0..<3 { crowd.add("a1", requests: 0) }
      crowd.add("b1", requests: 0)
      crowd.add("b2", requests: 1)
      await crowd.finish()
      #expect(crowd.served == ["a1", "b2"])
      crowd.add("a1", requests: 2)
      await crowd.finish()
      #expect(crowd.served == ["a1", "b2", "a1", "a1"])
    }
  }

  @Test("a closed connection gets no turn and is released")
  func over() async throws {
    try await TestLoop.run {
      let crowd = Crowd()
      crowd.add("a1", requests: 2)
      crowd.add("b1", requests: 2)
      crowd.end("a1")
      await crowd.finish()
      crowd.end("b1")
      crowd.add("b1", requests: 1)
      await TestLoop.turn()
      #expect(crowd.served == ["b1", "b1"])
      let scheduler = RequestScheduler(time: .system)
      weak var held: Crowd?
      do {
        let other = Crowd()
        held = other
        let place = RunQueueEntry(of: 0) { [other] in other.served.isEmpty }
        scheduler.add(place)
        place.leave()
      }
      await TestLoop.turn()
      #expect(held == nil)
    }
  }
}
