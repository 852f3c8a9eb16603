internal import Glibc
internal import Synchronization
internal import SystemCalls

/// Runs key derivations and other blocking calls one at a time on a worker thread, so that the loop can
/// continue.
///
/// Owners alternate, and each may have one computation queued. So a queued computation waits for at most two
/// computations of each other owner. Each computation has its own thread, which ends with it.
@EventLoop
public final class BlockingWorkQueue {
  /// A computation of this owner is queued already, or too many are queued in total.
  public struct Busy: Error { public init() {} }

  /// Maximum number of waiting computations of all owners; `nil` if only each owner is limited.
  ///
  /// With a maximum, the owner of the running computation cannot have another one waiting.
  private let mostWaiting: Int?
  private var waiting: [Derivation] = []
  private var running: Derivation?
  private var lastOwner: UInt32?

  public nonisolated init(mostWaiting: Int? = nil) { self.mostWaiting = mostWaiting }

  /// Runs a computation on the worker thread and returns its result on the loop.
  ///
  /// Throws: the error of the computation, `Busy`, `CancellationError` after `cancel`, or the error of
  /// pthread_create(3).
  public func run<Value: Sendable>(
    for owner: UInt32,
    _ compute: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await run(for: owner, beginning: {}) { try compute() }
  }

  /// Runs `begin` on the loop immediately before the computation, and passes its result to the computation.
  ///
  /// If `begin` throws, the computation does not run, and this function throws the error.
  public func run<Input: Sendable, Value: Sendable>(
    for owner: UInt32,
    beginning begin: @escaping @EventLoop () throws -> Input,
    _ compute: @escaping @Sendable (Input) throws -> Value
  ) async throws -> Value {
    guard !waiting.contains(where: { $0.owner == owner }) else { throw Busy() }
    if let mostWaiting, waiting.count >= mostWaiting || running?.owner == owner { throw Busy() }
    let outcome = Outcome<Value>()
    try await withCheckedThrowingContinuation { continuation in
      let begin: Derivation.Beginning = {
        let input = try begin()
        return {
          let result = Result { try compute(input) }
          outcome.result.withLock { $0 = result }
        }
      }
      waiting.append(Derivation(owner: owner, begin: begin, continuation: continuation))
      startNext()
    }
    return try outcome.result.withLock { try $0?.get() } ?? { throw CancellationError() }()
  }

  /// Cancels the computations of an erased owner; a running computation continues, but its result is dropped.
  public func cancel(owner: UInt32) {
    let cancelled = (waiting + [running].compactMap(\.self)).filter { $0.owner == owner }
    waiting.removeAll { $0.owner == owner }
    for derivation in cancelled { derivation.end(CancellationError()) }
  }

  private func startNext() {
    guard running == nil, !waiting.isEmpty else { return }
    // Selects the oldest computation of an owner that did not run last. If only the last owner waits, its
    // computation is next.
    let next = waiting.remove(at: waiting.firstIndex { $0.owner != lastOwner } ?? 0)
    (running, lastOwner) = (next, next.owner)
    do {
      let work = try next.begin()
      try startThread {
        work()
        EventLoop.task { self.finish(next) }
      }
    } catch {
      next.end(error)
      finish(next)
    }
  }

  private func finish(_ derivation: Derivation) {
    derivation.end(nil)
    running = nil
    startNext()
  }
}

/// The result of a computation, written on its thread and read on the loop.
private final class Outcome<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, any Error>?>(nil)
}

/// A queued or running computation, and the continuation of its caller, which is resumed once.
@EventLoop
private final class Derivation {
  /// Returns the closure that runs on the thread.
  typealias Beginning = @EventLoop () throws -> @Sendable () -> Void

  let owner: UInt32
  let begin: Beginning
  private var continuation: CheckedContinuation<Void, any Error>?

  init(
    owner: UInt32,
    begin: @escaping Beginning,
    continuation: CheckedContinuation<Void, any Error>
  ) {
    (self.owner, self.begin, self.continuation) = (owner, begin, continuation)
  }

  func end(_ error: (any Error)?) {
    if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    continuation = nil
  }
}

/// Runs a closure on a new detached thread.
///
/// Throws: the error of pthread_create(3).
func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  let argument = Unmanaged.passRetained(ThreadBody(run: body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread,
    &attributes,
    { argument in
      if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    },
    argument.toOpaque()
  )
  guard code != 0 else { return }
  argument.release()
  throw SystemError("pthread_create", code: code)
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }
}
