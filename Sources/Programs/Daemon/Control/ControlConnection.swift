public import Connections
internal import ControlAPI
public import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
public import SystemCalls
public import Time

/// One client: its lines become requests, each of which is answered exactly once.
@EventLoop
public final class ControlConnection {
  /// What one client may take, as <doc:Limits> has it.
  enum Limits {
    static let requestLine = 256 * 1024
    static let inFlight = 64
    static let unsent = 1 << 20
  }

  let caller: Caller
  let events: EventQueue
  let stream: StreamConnection
  let share: MemoryShare
  let router: Router
  /// How many requests are being carried out, or wait until what they changed is on the disk.
  var inFlight = 0
  /// Those that are being carried out, by their number on the connection.
  let flights = SingleFlight<Int, Void>()
  var requestCount = 0

  private let scheduler: RequestScheduler
  private lazy var place = Place(of: caller.uid) { [self] in takeTurn() }
  private let time: TimeSource
  private let onClose: @EventLoop (ControlConnection) -> Void
  private let onOver: @EventLoop (ControlConnection) -> Void
  private var framer = LineFramer(maximumLength: Limits.requestLine)
  private var isEnding = false
  private var isClosed = false
  private var patience: ClientPatience
  /// Since when there is no memory for what its client wants.
  private var waitingSince: Duration?
  /// Whether what came is refused, since it waited for too long.
  private var isStarved = false

  public init(
    _ stream: StreamConnection,
    caller: Caller,
    account: MemoryAccount,
    scheduler: RequestScheduler,
    router: Router,
    time: TimeSource,
    onClose: @escaping @EventLoop (ControlConnection) -> Void,
    onOver: @escaping @EventLoop (ControlConnection) -> Void
  ) {
    (self.stream, self.caller, self.router, self.time) = (stream, caller, router, time)
    (self.scheduler, self.onClose, self.onOver) = (scheduler, onClose, onOver)
    patience = ClientPatience(at: time.uptime())
    share = MemoryShare(account, owner: caller.uid)
    events = EventQueue(stream, share)
  }

  public func start() throws(SystemError) {
    try stream.start()
    // The stream holds the connection until it is closed, and its place until nothing of it is left to be done.
    stream.onBytes = { [self] in take($0) }
    stream.onEnd = { [self] in finish() }
    stream.onDrained = { [self] in drained() }
    stream.onUnsent = { [self] in noteUnsent() }
    stream.onClose = { [self] in
      events.close()
      noteUnsent()
      isClosed = true
      // What came before is still carried out, and is held until then.
      schedule()
      onClose(self)
    }
  }

  /// Takes no more requests, answers those that came, and closes.
  func finish() {
    isEnding = true
    stream.isReading = false
    schedule()
  }

  /// Ends the connection at once, with what came of it.
  public func close() {
    framer = LineFramer(maximumLength: Limits.requestLine)
    share.lines = 0
    stream.close()
  }

  /// Closes a connection that nobody uses or whose client does not take its answers; at once, if they hold up others.
  func closeIfAbandoned(holdsUp: Bool) {
    let isOver = patience.isOver(
      at: time.uptime(),
      isStuck: stream.isStuck,
      takenCount: stream.takenCount,
      isUsed: inFlight > 0 || !events.isEmpty
    )
    if isOver || (holdsUp && stream.isStuck && share.isMuch) { close() }
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

  /// Has its requests carried out when it is its turn.
  private func schedule() { scheduler.add(place) }

  /// Goes on with what waits, or with reading, where there was no room before.
  func resume() {
    if isClosed || !stream.isReading { schedule() }
  }

  /// Whether there is room for what another request brings.
  private var hasRoom: Bool {
    guard inFlight < Limits.inFlight, !isUnsentFull else {
      // It waits for itself, whatever memory there is.
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

  /// Carries out the next line that came; `false` if there is none, or no room, without which nothing more is read.
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

  /// Goes on if it waits for memory, of which there is some now.
  func noteRoom() {
    if waitingSince != nil { schedule() }
  }

  static let starved = RPCError.rateLimited.with([
    "retryAfter": .int(ClientPatience.memory.wholeSeconds)
  ])

  /// Begins to refuse what has waited for memory for too long: the lines that came, and the one that has begun.
  func refuseIfStarved() {
    guard let waitingSince, time.uptime() - waitingSince >= ClientPatience.memory else { return }
    self.waitingSince = nil
    isStarved = true
    schedule()
  }

  /// Refuses the next of the lines that waited for too long; `false` if its client does not take what is said of it.
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
