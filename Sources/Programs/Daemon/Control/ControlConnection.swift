public import Connections
internal import ControlAPI
public import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
public import SystemCalls
public import Time
public import Vault

/// The connection of one client.
///
/// Parses the client's lines into requests, executes them in turns, and sends the replies.
@EventLoop
public final class ControlConnection {
  /// Limits of one connection, documented in <doc:Limits>.
  enum Limits {
    static let requestLine = 256 * 1024
    static let inFlight = 64
    static let unsent = 1 << 20
  }

  let caller: Caller
  let events: EventQueue
  let stream: StreamConnection
  let share: ConnectionMemory
  let router: Router
  /// Number of requests that run, or that wait until their changes are committed to disk.
  var inFlight = 0

  private let scheduler: RequestScheduler
  private lazy var place = RunQueueEntry(of: caller.uid) { [self] in takeTurn() }
  private let time: TimeSource
  private let onClose: @EventLoop (ControlConnection) -> Void
  private let onOver: @EventLoop (ControlConnection) -> Void
  private var framer = LineFramer(maximumLength: Limits.requestLine)
  private var isEnding = false
  private var isClosed = false
  private var patience: ConnectionTimeouts
  /// The uptime at which requests began to wait for memory; `nil` if no request waits for memory.
  private var waitingSince: Duration?
  /// True while received lines are refused because they waited for memory too long.
  private var isStarved = false

  public init(
    _ stream: StreamConnection,
    caller: Caller,
    account: MemoryBudget,
    scheduler: RequestScheduler,
    router: Router,
    time: TimeSource,
    onClose: @escaping @EventLoop (ControlConnection) -> Void,
    onOver: @escaping @EventLoop (ControlConnection) -> Void
  ) {
    (self.stream, self.caller, self.router, self.time) = (stream, caller, router, time)
    (self.scheduler, self.onClose, self.onOver) = (scheduler, onClose, onOver)
    patience = ConnectionTimeouts(at: time.uptime())
    share = ConnectionMemory(account, owner: caller.uid)
    events = EventQueue(stream, share)
  }

  public func start() throws(SystemError) {
    try stream.start()
    // The closures keep the connection alive until the stream closes. `place` keeps it alive until all
    // requests are done.
    stream.onBytes = { [self] in take($0) }
    stream.onEnd = { [self] in finish() }
    stream.onDrained = { [self] in drained() }
    stream.onUnsent = { [self] in noteUnsent() }
    stream.onClose = { [self] in
      events.close()
      noteUnsent()
      isClosed = true
      // Requests that were received before the close are still executed.
      schedule()
      onClose(self)
    }
  }

  /// Stops reading, answers the requests received so far, and closes.
  func finish() {
    isEnding = true
    stream.isReading = false
    schedule()
  }

  /// Closes the connection immediately and drops received lines.
  public func close() {
    framer = LineFramer(maximumLength: Limits.requestLine)
    share.lines = 0
    stream.close()
  }

  /// Closes the connection if a timeout has expired.
  func closeIfAbandoned() {
    let isOver = patience.isExceeded(
      at: time.uptime(),
      isStuck: stream.isStuck,
      takenCount: stream.takenCount,
      isUsed: inFlight > 0 || !events.isEmpty
    )
    if isOver { close() }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    patience.noteUse(at: time.uptime())
    framer.take(bytes)
    share.lines = framer.heldCount
    schedule()
  }

  private func noteUnsent() { share.unsent = stream.heldCount }

  private func drained() {
    patience.noteUse(at: time.uptime())
    events.flush()
    resume()
  }

  /// Queues the connection at the scheduler.
  private func schedule() { scheduler.add(place) }

  /// Continues with waiting requests, or with reading, after a limit had stopped them.
  func resume() {
    if isClosed || !stream.isReading { schedule() }
  }

  /// True if limits and memory allow another request.
  private var hasRoom: Bool {
    guard inFlight < Limits.inFlight, !isUnsentFull else {
      // The connection waits for its own requests or its client, not for memory.
      waitingSince = nil
      return false
    }
    let hasMemory = share.hasRoom
    waitingSince = hasMemory ? nil : waitingSince ?? time.uptime()
    return hasMemory
  }

  private var isUnsentFull: Bool { share.replies + stream.unsentCount >= Limits.unsent }

  private func takeTurn() -> Bool {
    let isMore = isStarved ? refuseNext() : carryOutNext()
    if isClosed, !isMore, inFlight == 0, waitingSince == nil || share.lines == 0 {
      share.close()
      place.leave()
      onOver(self)
    }
    return isMore
  }

  /// Executes the next received line.
  ///
  /// Returns true if there is more to do. Stops reading when a limit is reached.
  private func carryOutNext() -> Bool {
    guard hasRoom else {
      stream.isReading = false
      return false
    }
    guard let event = takeNext() else {
      stream.isReading = !isEnding
      if isEnding, inFlight == 0 { stream.closeWhenDrained() }
      return false
    }
    carryOut(event)
    let isMore = framer.isWithinLine || isEnding
    stream.isReading = !isMore && hasRoom
    return isMore
  }

  private func takeNext() -> LineFramer.Event? {
    defer { share.lines = framer.heldCount }
    return framer.next()
  }

  /// Reschedules the connection if it waits for memory; called when memory was released.
  func noteRoom() {
    if waitingSince != nil { schedule() }
  }

  private static let starved = RPCError.rateLimited.with([
    "retryAfter": .int(ConnectionTimeouts.memory.wholeSeconds)
  ])

  /// Starts refusing received lines, including a partial one, if they have waited for memory too long.
  func refuseIfStarved() {
    guard let waitingSince, time.uptime() - waitingSince >= ConnectionTimeouts.memory else { return }
    self.waitingSince = nil
    isStarved = true
    schedule()
  }

  /// Refuses the next line that waited too long.
  ///
  /// Returns `false` if the client does not read the refusals.
  private func refuseNext() -> Bool {
    guard !isUnsentFull else { return false }
    if let event = takeNext() {
      carryOut(event, refusing: Self.starved)
      return true
    }
    isStarved = false
    if framer.isWithinLine {
      framer.abandon()
      share.lines = framer.heldCount
      refuse(Self.starved)
    }
    return true
  }
}
