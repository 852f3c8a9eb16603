import Glibc
public import SystemCalls

/// The one thread on which everything that can change lives: a global actor whose executor is an epoll loop.
///
/// Code that is isolated to it needs no locks; an `async` function waits without holding up the others.
/// Nothing may leave for Swift's default executor, which would start a pool of threads.
@globalActor
public actor EventLoop {
  /// The loop of the process.
  public static let shared = EventLoop()

  /// How long a turn may do what waits, of each kind, before the last of it begins.
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

  /// Starts a task that never leaves the loop's thread, whatever it waits for.
  ///
  /// A task that is started otherwise resumes on Swift's default executor, which starts a pool of threads.
  @discardableResult
  public nonisolated static func task<Value: Sendable>(
    _ body: @escaping @EventLoop @Sendable () async -> Value
  ) -> Task<Value, Never> {
    Task(executorPreference: shared.executor, operation: body)
  }

  /// Lets tasks go on, each as far as it comes without waiting, and tells whether there was time for all; for handlers, not
  /// within a task.
  ///
  /// `Task.immediate` would not do: with an executor of its own a task leaves for it before its first line.
  @EventLoop
  public static func runTasks() -> Bool { Reactor.shared.runJobs() }

  /// Starts a task that can fail and never leaves the loop's thread.
  @discardableResult
  public nonisolated static func task<Value: Sendable>(
    _ body: @escaping @EventLoop @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: shared.executor, operation: body)
  }

  /// Ends `run` after the current turn.
  @EventLoop
  public static func stop() { Reactor.shared.stop() }

  /// Calls the handler in each turn in which the descriptor is ready for what is watched.
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

  /// Calls the handler once after a time, not before.
  @EventLoop
  @discardableResult
  public static func after(_ delay: Duration, _ handler: @escaping @EventLoop () -> Void) -> Timer {
    Reactor.shared.timers.add(after: delay, handler)
  }

  /// Calls the handler when the handlers of this turn are done, before anything of the turn leaves the process.
  ///
  /// What is to be on the disk before others hear of it is brought there by such a handler.
  @EventLoop
  public static func beforeLeaving(_ handler: @escaping @EventLoop () -> Void) {
    Reactor.shared.beforeLeaving.append(handler)
  }

  /// Calls the handler when the handlers of this turn are done, before the loop waits again.
  @EventLoop
  public static func atEndOfTurn(_ handler: @escaping @EventLoop () -> Void) {
    Reactor.shared.endOfTurn.append(handler)
  }

  /// Lets whoever else waits have their turn; a cancelled task waits for the same.
  @EventLoop
  public static func nextTurn() async {
    await withCheckedContinuation { waiting in after(.zero) { waiting.resume() } }
  }

  /// Waits for a time without holding up the loop; a cancelled task waits no longer.
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

/// A wait that ends once: by its timer or by cancellation, whichever comes first.
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
