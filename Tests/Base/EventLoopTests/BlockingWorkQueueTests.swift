import Glibc
import Synchronization
import TestLoop
import Testing

@testable import EventLoop

/// Slow computations that end when the test opens them, with the maximum number that ran at once.
private final class Gate: Sendable {
  private struct State {
    var running: [String] = []
    var started: [String] = []
    var most = 0
    var open: Set<String> = []
  }

  private let state = Mutex(State())

  /// Blocks the calling thread until `open`.
  func pass(_ name: String) -> String {
    state.withLock { state in
      state.running.append(name)
      state.started.append(name)
      state.most = max(state.most, state.running.count)
    }
    while !state.withLock({ $0.open.contains(name) }) { usleep(200) }
    state.withLock { state in state.running.removeAll { $0 == name } }
    return name
  }

  func open(_ names: String...) { state.withLock { $0.open.formUnion(names) } }

  var started: [String] { state.withLock { $0.started } }

  var most: Int { state.withLock { $0.most } }

  /// Waits until `count` computations have started.
  @EventLoop
  func begun(_ count: Int) async throws {
    while started.count < count { try await EventLoop.sleep(for: .milliseconds(1)) }
  }
}

@Suite("Derivation lane", .timeLimit(.minutes(30)))
struct BlockingWorkQueueTests {
  private struct Failure: Error, Equatable {}

  /// Starts a task that runs a computation in the queue.
  @EventLoop
  private static func enter(_ lane: BlockingWorkQueue, _ owner: UInt32, _ name: String, _ gate: Gate) -> Task<
    String, any Error
  > {
    EventLoop.task { try await lane.run(for: owner) { gate.pass(name) } }
  }

  @Test("a computation runs on another thread and returns its result on the loop thread")
  func threads() async throws {
    try await TestLoop.run {
      let lane = BlockingWorkQueue()
      let loop = pthread_self()
      for number in 1...3 {
        let other = try await lane.run(for: 1) { (number, pthread_self()) }
        #expect(other.0 == number && other.1 != loop && pthread_self() == loop)
      }
      await #expect(throws: Failure()) { try await lane.run(for: 1) { throw Failure() } }
    }
  }

  @Test("the worker thread exits when no computation is left")
  func idle() async throws {
    try await TestLoop.run {
      let thread = try await BlockingWorkQueue().run(for: 1) {
        var path = [CChar](repeating: 0, count: 64)
        let length = readlink("/proc/thread-self", &path, path.count)
        return "/proc/" + String(decoding: path.prefix(max(0, length)).map(UInt8.init), as: UTF8.self)
      }
      #expect(thread.contains("/task/"))
      while access(thread, F_OK) == 0 { try await EventLoop.sleep(for: .milliseconds(1)) }
    }
  }

  @Test("the lane runs one computation at a time and alternates between owners")
  func turns() async throws {
    try await TestLoop.run {
      let lane = BlockingWorkQueue()
      let gate = Gate()
      var tasks = [Self.enter(lane, 1, "1a", gate)]
      try await gate.begun(1)
      // Owner 1 already runs a computation and queues again first. One other owner still goes before it.
      for (owner, name) in [(1, "1b"), (2, "2a"), (3, "3a")] as [(UInt32, String)] {
        tasks.append(Self.enter(lane, owner, name, gate))
        try await EventLoop.sleep(for: .zero)
      }
      gate.open("1a", "1b", "2a", "3a")
      for task in tasks { _ = try await task.value }
      #expect(gate.started == ["1a", "2a", "1b", "3a"])
      #expect(gate.most == 1)
    }
  }

  @Test("an owner with a waiting computation gets Busy for another one")
  func refusal() async throws {
    try await TestLoop.run {
      let lane = BlockingWorkQueue()
      let gate = Gate()
      let running = Self.enter(lane, 1, "running", gate)
      try await gate.begun(1)
      let waiting = Self.enter(lane, 1, "waiting", gate)
      let other = Self.enter(lane, 2, "other", gate)
      try await EventLoop.sleep(for: .zero)
      for owner: UInt32 in [1, 2] {
        await #expect(throws: BlockingWorkQueue.Busy.self) { try await lane.run(for: owner) { "refused" } }
      }
      gate.open("running", "other")
      _ = try await (running.value, other.value)
      try await gate.begun(3)
      let next = Self.enter(lane, 1, "next", gate)
      gate.open("waiting", "next")
      #expect(try await waiting.value == "waiting")
      #expect(try await next.value == "next")
    }
  }

  @Test("a limited lane refuses a third waiting owner, and the owner of the running computation")
  func mostWaiting() async throws {
    try await TestLoop.run {
      let lane = BlockingWorkQueue(mostWaiting: 2)
      let gate = Gate()
      let running = Self.enter(lane, 1, "1", gate)
      try await gate.begun(1)
      await #expect(throws: BlockingWorkQueue.Busy.self) { try await lane.run(for: 1) { "refused" } }
      let waiting = [Self.enter(lane, 2, "2", gate), Self.enter(lane, 3, "3", gate)]
      try await EventLoop.sleep(for: .zero)
      await #expect(throws: BlockingWorkQueue.Busy.self) { try await lane.run(for: 4) { "refused" } }
      gate.open("1", "2", "3")
      for task in [running] + waiting { _ = try await task.value }
      #expect(gate.started == ["1", "2", "3"])
    }
  }

  @Test("cancelling an owner ends its computations at once and keeps those of others")
  func cancellation() async throws {
    try await TestLoop.run {
      let lane = BlockingWorkQueue()
      let gate = Gate()
      let running = Self.enter(lane, 1, "running", gate)
      try await gate.begun(1)
      let waiting = Self.enter(lane, 1, "waiting", gate)
      let other = Self.enter(lane, 2, "other", gate)
      try await EventLoop.sleep(for: .zero)
      lane.cancel(owner: 1)
      // The gate is still closed: cancelling does not wait for the running computation.
      await #expect(throws: CancellationError.self) { try await running.value }
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(gate.started == ["running"])
      gate.open("running", "other", "again")
      #expect(try await other.value == "other")
      #expect(try await lane.run(for: 1) { gate.pass("again") } == "again")
      #expect(gate.started == ["running", "other", "again"])
      #expect(gate.most == 1)
    }
  }

  @Test("the event loop runs timers while the lane computes")
  func responsive() async throws {
    try await TestLoop.run {
      let lane = BlockingWorkQueue()
      let gate = Gate()
      let slow = Self.enter(lane, 1, "slow", gate)
      try await gate.begun(1)
      // Each sleep needs a loop iteration. A blocked loop would never reach the opening of the gate.
      for _ in 0..<20 { try await EventLoop.sleep(for: .milliseconds(1)) }
      gate.open("slow")
      #expect(try await slow.value == "slow")
    }
  }
}
