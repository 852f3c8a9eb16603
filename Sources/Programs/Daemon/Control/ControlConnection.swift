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
  private let router: Router
  private let time: TimeSource
  private let onClose: @EventLoop (ControlConnection) -> Void
  private var framer = LineFramer(maximumLength: Limits.requestLine)
  private var waiting: [LineFramer.Event] = []
  private var inFlight = 0
  private var isEnding = false
  private var patience: ClientPatience

  init(
    _ stream: StreamConnection,
    caller: Caller,
    router: Router,
    time: TimeSource,
    onClose: @escaping @EventLoop (ControlConnection) -> Void
  ) {
    (self.stream, self.caller, self.router, self.time) = (stream, caller, router, time)
    self.onClose = onClose
    patience = ClientPatience(at: time.uptime())
    events = EventQueue(stream)
  }

  func start() throws(SystemError) {
    stream.onBytes = { [weak self] in self?.take($0) }
    stream.onEnd = { [weak self] in self?.finish() }
    stream.onDrained = { [weak self] in self?.drained() }
    stream.onClose = { [self] in
      events.close()
      onClose(self)
    }
    try stream.start()
  }

  /// Whether requests are being carried out or answers wait to be sent.
  var isBusy: Bool { inFlight > 0 || !waiting.isEmpty || stream.unsentCount > 0 }

  /// Takes no more requests, answers those that came, and closes.
  func finish() {
    isEnding = true
    stream.isReading = false
    closeIfDone()
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
    framer.take(bytes) { waiting.append($0) }
    serve()
  }

  private func drained() {
    patience.noteUse(at: time.uptime())
    events.flush()
    serve()
  }

  /// Carries out the lines that wait, as far as there is room; without room nothing more is read.
  private func serve() {
    var served = 0
    while served < waiting.count, hasRoom {
      carryOut(waiting[served])
      served += 1
    }
    waiting.removeFirst(served)
    stream.isReading = waiting.isEmpty && hasRoom && !isEnding
    closeIfDone()
  }

  private var hasRoom: Bool { inFlight < Limits.inFlight && stream.unsentCount < Limits.unsent }

  private func closeIfDone() {
    if isEnding, inFlight == 0, waiting.isEmpty { stream.closeWhenDrained() }
  }

  private func carryOut(_ event: LineFramer.Event) {
    guard case .line(let line) = event else { return refuse(.requestTooLarge) }
    let message: RPCMessage
    do { message = try RPCMessage(parsing: line) } catch { return refuse(error) }
    switch message {
    case .single(let request):
      answer(request) { [weak self] reply in
        let subscriptions = self?.events.takeNew() ?? []
        if let reply { self?.send(reply.bytes, with: subscriptions) }
      }
    case .batch(let requests): answer(requests)
    }
  }

  /// Answers a line that is no request.
  private func refuse(_ error: RPCError) {
    router.counters.count(isError: true)
    send(RPCReply(id: .null, error: error).bytes)
  }

  /// The replies to a batch leave together when the last of them is there.
  private func answer(_ requests: [Result<RPCRequest, RPCError>]) {
    var replies: [RPCReply] = []
    var subscriptions: [String] = []
    var missing = requests.count
    for request in requests {
      answer(request) { [weak self] reply in
        let made = self?.events.takeNew() ?? []
        if let reply {
          replies.append(reply)
          subscriptions += made
        }
        missing -= 1
        if missing == 0, let line = RPCReply.batch(replies) { self?.send(line, with: subscriptions) }
      }
    }
  }

  /// Carries out one request and hands over its reply exactly once; `nil` when none is wanted.
  private func answer(
    _ request: Result<RPCRequest, RPCError>,
    _ reply: @escaping @EventLoop (RPCReply?) -> Void
  ) {
    switch request {
    case .failure(let error):
      router.counters.count(isError: true)
      reply(RPCReply(id: .null, error: error))
    case .success(let request):
      switch router.route(request, caller, self) {
      case .done(let completion): settle(completion, reply)
      case .later(let work):
        inFlight += 1
        EventLoop.task { [self] in
          let completion = await work()
          inFlight -= 1
          settle(completion, reply)
          serve()
        }
      }
    }
  }

  /// Replies once what the request changed is on the disk; until then it is in flight.
  private func settle(_ completion: Completion, _ reply: @escaping @EventLoop (RPCReply?) -> Void) {
    guard router.vault.hasUncommittedChanges else { return reply(counted(completion)) }
    inFlight += 1
    router.vault.afterTurn { [self] failure in
      inFlight -= 1
      reply(counted(failure.map { completion.failing(RPCError(naming: $0)) } ?? completion))
      serve()
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
