import Glibc
public import SystemCalls

/// A global actor with an epoll loop on one thread as its executor; nearly all mutable state belongs to it.
///
/// Isolated code needs no locks. An `async` function does not block the loop while it waits. No task may run
/// on Swift's default executor, because that executor starts a pool of threads.
@globalActor
public actor EventLoop {
  /// The loop of the process.
  public static let shared = EventLoop()

  /// Time after which one loop iteration starts no further item of the same kind of queued work.
  public static let longestRun = Duration.milliseconds(5)

  nonisolated let executor = EventLoopExecutor()

  /// Jobs of the actor run on the loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs the loop on the calling thread until `stop` is called.
  public nonisolated static func run() {
    shared.executor.adoptCurrentThread()
    // Safety: the calling thread has just become the actor's executor, so isolated code may run here.
    let turn: @EventLoop () -> Void = { Reactor.shared.run() }
    withoutActuallyEscaping(turn) { unsafeBitCast($0, to: (() -> Void).self)() }
  }

  /// Starts a task that always runs on the loop's thread.
  ///
  /// A task without this executor preference resumes on Swift's default executor, which starts a pool of
  /// threads.
  @discardableResult
  public nonisolated static func task<Value: Sendable>(
    _ body: @escaping @EventLoop @Sendable () async -> Value
  ) -> Task<Value, Never> {
    Task(executorPreference: shared.executor, operation: body)
  }

  /// Runs queued jobs of tasks until `longestRun` has passed; returns false if jobs remain.
  ///
  /// Only handlers may call it, not tasks.
  ///
  /// `Task.immediate` cannot replace it: Swift enqueues a task with an executor preference on the executor
  /// before the task's first line runs.
  @EventLoop
  public static func runTasks() -> Bool { Reactor.shared.runJobs() }

  /// Starts a task that always runs on the loop's thread and can throw.
  @discardableResult
  public nonisolated static func task<Value: Sendable>(
    _ body: @escaping @EventLoop @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: shared.executor, operation: body)
  }

  /// Ends `run` after the current loop iteration.
  @EventLoop
  public static func stop() { Reactor.shared.stop() }

  /// Calls the handler in each loop iteration in which the descriptor is ready for `interest`.
  ///
  /// Throws: the error of epoll_ctl(2).
  @EventLoop
  public static func watch(
    _ descriptor: Int32,
    for interest: Interest,
    _ handler: @escaping @EventLoop (Interest) -> Void
  ) throws(SystemError) -> Watch {
    try Reactor.shared.watch(descriptor, for: interest, handler)
  }

  /// Calls the handler once, not before the delay has passed, unless the timer is cancelled.
  @EventLoop
  @discardableResult
  public static func after(_ delay: Duration, _ handler: @escaping @EventLoop () -> Void) -> Timer {
    Reactor.shared.timers.add(after: delay, handler)
  }

  /// Calls the handler after all events of this loop iteration, before the handlers of `atEndOfTurn`.
  ///
  /// Such handlers commit changes to the disk; `atEndOfTurn` handlers then notify clients of the changes.
  @EventLoop
  public static func beforeLeaving(_ handler: @escaping @EventLoop () -> Void) {
    Reactor.shared.beforeLeaving.append(handler)
  }

  /// Calls the handler after all events of this loop iteration, before the loop waits again.
  @EventLoop
  public static func atEndOfTurn(_ handler: @escaping @EventLoop () -> Void) {
    Reactor.shared.endOfTurn.append(handler)
  }

  /// Waits for the next loop iteration, so that other work can run; cancellation does not end the wait.
  @EventLoop
  public static func nextTurn() async {
    await withCheckedContinuation { waiting in after(.zero) { waiting.resume() } }
  }

  /// Waits for a time without blocking the loop; cancelling the task ends the wait.
  @EventLoop
  public static func sleep(for delay: Duration) async throws(CancellationError) {
    let pending = PendingSleep()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in pending.start(continuation, after: delay) }
    } onCancel: {
      EventLoop.task { pending.finish() }
    }
    if Task.isCancelled { throw CancellationError() }
  }
}

/// A wait that ends once, by its timer or by cancellation.
@EventLoop
private final class PendingSleep {
  private var continuation: CheckedContinuation<Void, Never>?
  private var timer: Timer?
  private var isFinished = false

  func start(_ continuation: CheckedContinuation<Void, Never>, after delay: Duration) {
    guard !isFinished else { return continuation.resume() }
    self.continuation = continuation
    timer = EventLoop.after(delay) { self.finish() }
  }

  func finish() {
    isFinished = true
    timer?.cancel()
    continuation?.resume()
    continuation = nil
  }
}
