internal import Glibc
internal import Synchronization
internal import SystemCalls

/// What takes long beside the loop, one at a time on a thread of its own: keys that are derived from passwords, and
/// questions that block.
///
/// Owners take turns, and each has one waiting at most, so that nobody's passwords hold up another's for longer
/// than one computation. The thread lives as long as a computation does.
@EventLoop
public final class DerivationLane {
  /// One of the owner's computations waits already, or too many of all do.
  public struct Busy: Error { public init() {} }

  /// Where the memory comes from that a computation takes.
  public struct Room {
    /// Calls back when there is some, at once or later.
    let take: @EventLoop (@escaping @EventLoop () -> Void) -> Void
    let giveBack: @EventLoop () -> Void

    public init(
      take: @escaping @EventLoop (@escaping @EventLoop () -> Void) -> Void,
      giveBack: @escaping @EventLoop () -> Void
    ) { (self.take, self.giveBack) = (take, giveBack) }
  }

  /// Without one, there is room for what this lane computes.
  public var room: Room?

  private var waiting: [Derivation] = []
  private var running: Derivation?
  private var isTakingRoom = false
  private var lastOwner: UInt32?

  public nonisolated init() {}

  /// Computes on the lane's thread and returns on the loop.
  ///
  /// Throws: what the computation throws, `Busy`, `CancellationError` after `cancel`, or the error of
  /// pthread_create(3).
  public func run<Value: Sendable>(
    for owner: UInt32,
    _ compute: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await run(for: owner, beginning: {}) { try compute() }
  }

  /// The same for a computation that begins on the loop, right before its thread does: what it throws there ends it,
  /// and what it returns there is computed with.
  public func run<Input: Sendable, Value: Sendable>(
    for owner: UInt32,
    beginning begin: @escaping @EventLoop () throws -> Input,
    _ compute: @escaping @Sendable (Input) throws -> Value
  ) async throws -> Value {
    guard !waiting.contains(where: { $0.owner == owner }) else { throw Busy() }
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

  /// Ends the waits of an owner who is erased; what already runs runs on, and its result is dropped.
  public func cancel(owner: UInt32) {
    let cancelled = (waiting + [running].compactMap(\.self)).filter { $0.owner == owner }
    waiting.removeAll { $0.owner == owner }
    for derivation in cancelled { derivation.end(CancellationError()) }
  }

  private func startNext() {
    guard running == nil, !isTakingRoom, !waiting.isEmpty else { return }
    guard let room else { return start() }
    isTakingRoom = true
    room.take { [self] in
      isTakingRoom = false
      start()
    }
  }

  private func start() {
    // They may have been cancelled meanwhile.
    guard !waiting.isEmpty else {
      room?.giveBack()
      return
    }
    // Whoever waits longest is next, but nobody twice in a row while another waits.
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
    room?.giveBack()
    startNext()
  }
}

/// What a computation came to, written on its thread and read on the loop.
private final class Outcome<Value: Sendable>: Sendable {
  let result = Mutex<Result<Value, any Error>?>(nil)
}

/// A computation, and whoever waits for its end, who hears of it once.
@EventLoop
private final class Derivation {
  /// Returns what is done on the thread.
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

/// Runs a closure on a thread of its own, which nobody joins.
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
