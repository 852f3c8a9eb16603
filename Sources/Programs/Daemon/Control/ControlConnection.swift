internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Time
internal import UnixSockets
internal import Vault

/// One client: its lines become requests, each of which is answered exactly once.
@EventLoop
final class ControlConnection {
  /// What one client may take, as <doc:Limits> has it.
  enum Limits {
    static let requestLine = 256 * 1024
    static let inFlight = 64
    static let unsent = 1 << 20
  }

  let caller: Caller
  let events: EventQueue

  private let stream: StreamConnection
  private let share: MemoryShare
  private let router: Router
  private let scheduler: RequestScheduler
  private let time: TimeSource
  private let onClose: @EventLoop (ControlConnection) -> Void
  private var framer = LineFramer(maximumLength: Limits.requestLine)
  private var inFlight = 0
  private var isEnding = false
  private var patience: ClientPatience
  /// Since when there is no memory for what its client wants.
  private var waitingSince: Duration?

  init(
    _ stream: StreamConnection,
    caller: Caller,
    account: MemoryAccount,
    scheduler: RequestScheduler,
    router: Router,
    time: TimeSource,
    onClose: @escaping @EventLoop (ControlConnection) -> Void
  ) {
    (self.stream, self.caller, self.router, self.time) = (stream, caller, router, time)
    (self.scheduler, self.onClose) = (scheduler, onClose)
    patience = ClientPatience(at: time.uptime())
    share = MemoryShare(account, owner: caller.uid)
    events = EventQueue(stream, share)
  }

  func start() throws(SystemError) {
    stream.onBytes = { [weak self] in self?.take($0) }
    stream.onEnd = { [weak self] in self?.finish() }
    stream.onDrained = { [weak self] in self?.drained() }
    stream.onUnsent = { [weak self] in self?.noteUnsent() }
    stream.onClose = { [self] in
      events.close()
      share.close()
      onClose(self)
    }
    try stream.start()
  }

  /// Takes no more requests, answers those that came, and closes.
  func finish() {
    isEnding = true
    stream.isReading = false
    schedule()
  }

  /// Ends the connection at once.
  func close() { stream.close() }

  /// Closes a connection that nobody uses or whose client does not take its answers.
  func closeIfAbandoned() {
    let isOver = patience.isOver(
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

  /// Has its requests carried out when it is its turn.
  private func schedule() {
    scheduler.add(self, of: caller.uid) { [weak self] in self?.carryOutNext() ?? false }
  }

  /// Goes on with what waits, or with reading, where there was no room before.
  private func resume() {
    if !stream.isReading { schedule() }
  }

  /// Whether there is room for what another request brings.
  private var hasRoom: Bool {
    guard inFlight < Limits.inFlight, share.replies + stream.unsentCount < Limits.unsent else {
      // It waits for itself, whatever memory there is.
      waitingSince = nil
      return false
    }
    let hasMemory = share.hasRoom
    waitingSince = hasMemory ? nil : waitingSince ?? time.uptime()
    return hasMemory
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

  /// Refuses what has waited for memory for too long: a line that came, or else the one that has begun.
  func refuseIfStarved() {
    guard let waitingSince, time.uptime() - waitingSince >= ClientPatience.memory else { return }
    let error = RPCError.rateLimited.with(["retryAfter": .int(ClientPatience.memory.wholeSeconds)])
    if let event = takeNext() {
      carryOut(event, refusing: error)
    } else if framer.isWithinLine {
      framer.abandon()
      share.lines = framer.heldCount
      refuse(error)
    }
    self.waitingSince = nil
    schedule()
  }

  /// Carries out a line, or answers all its requests with an error.
  private func carryOut(_ event: LineFramer.Event, refusing refusal: RPCError? = nil) {
    guard case .line(let line) = event else { return refuse(.requestTooLarge) }
    let message: RPCMessage
    do { message = try RPCMessage(parsing: line) } catch { return refuse(error) }
    switch message {
    case .single(let request):
      answer(request, refusal) { [weak self] reply, subscriptions in
        if let reply { self?.send(reply.bytes, with: subscriptions) }
      }
    case .batch(let requests): answer(requests, refusal)
    }
  }

  /// Answers a line that is no request.
  private func refuse(_ error: RPCError) {
    router.counters.count(isError: true)
    send(RPCReply(id: .null, error: error).bytes)
  }

  /// The replies to a batch leave together when the last of them is there; until then they are held for its owner.
  private func answer(_ requests: [Result<RPCRequest, RPCError>], _ refusal: RPCError?) {
    var batch = RPCBatchReply()
    var subscriptions: [String] = []
    var missing = requests.count
    for request in requests {
      answer(request, refusal) { [weak self, share] reply, made in
        share.replies -= batch.heldCount
        if let reply {
          batch.add(reply)
          subscriptions += made
        }
        missing -= 1
        guard missing == 0 else {
          share.replies += batch.heldCount
          return
        }
        if let line = batch.line { self?.send(line, with: subscriptions) }
      }
    }
  }

  /// Is handed the reply to a request, `nil` when none is wanted, and the subscriptions that the request made.
  private typealias Answer = @EventLoop (RPCReply?, [String]) -> Void

  /// Carries out one request and hands over its reply exactly once.
  private func answer(
    _ request: Result<RPCRequest, RPCError>,
    _ refusal: RPCError?,
    _ reply: @escaping Answer
  ) {
    switch request {
    case .failure(let error):
      router.counters.count(isError: true)
      reply(RPCReply(id: .null, error: error), [])
    case .success(let request):
      if let refusal { return settle(Completion(request.id, refused: refusal), reply) }
      switch router.route(request, caller, self) {
      case .done(let completion): settle(completion, reply)
      case .later(let work):
        let held = request.params?.footprint ?? 0
        inFlight += 1
        share.requests += held
        EventLoop.task { [self] in
          let completion = await work()
          inFlight -= 1
          share.requests -= held
          settle(completion, reply)
          resume()
        }
      }
    }
  }

  /// Replies once what the request changed is on the disk; until then it is in flight.
  private func settle(_ completion: Completion, _ reply: @escaping Answer) {
    // Taken at once, before another request of this turn could take them for its own.
    let subscriptions = events.takeNew()
    guard router.vault.hasUncommittedChanges else { return reply(counted(completion), subscriptions) }
    inFlight += 1
    router.vault.afterTurn { [self] failure in
      inFlight -= 1
      if let failure {
        // A subscription that was refused tells nothing.
        for subscription in subscriptions { _ = events.unsubscribe(subscription) }
        reply(counted(completion.failing(RPCError(naming: failure))), [])
      } else {
        reply(counted(completion), subscriptions)
      }
      resume()
    }
  }

  /// The reply to a request that was carried out, and counted now.
  private func counted(_ completion: Completion) -> RPCReply? {
    router.counters.count(isError: completion.error != nil)
    return completion.reply
  }

  /// Sends a line; the subscriptions that it made known may be followed by events, not preceded.
  private func send(_ line: [UInt8], with subscriptions: [String] = []) {
    var line = line
    line.append(UInt8(ascii: "\n"))
    stream.send(line)
    events.release(subscriptions)
  }
}
