public import CourierProtocol
public import EventLoop
public import Glibc
internal import Journal
public import WebAddress

/// Sends requests through the courier, the process that speaks HTTPS for the daemon.
///
/// The client connects to the courier or starts it, respects its limits and recovers when it dies.
@EventLoop
public final class CourierClient {
  /// Allowed origins of requests; the courier also checks its own list.
  public private(set) var allowedOrigins: Set<Origin>

  private enum State {
    case down
    case up(CourierConnection)
    case backingOff(Timer)
    case stopped
  }

  /// Waits until the changes that a request reports are on the disk; if this throws, the request is not sent.
  let beforeSending: @EventLoop () async throws -> Void

  private let endpoint: CourierEndpoint
  let grace: Duration
  private var state = State.down
  private var exchanges: [ExchangeID: CourierCall] = [:]
  var listenings: [ExchangeID: Listening] = [:]
  var feeds: [ExchangeID: Feed] = [:]
  private var queue = CourierQueue()
  private var lastID = ExchangeID.first
  private let idleTime: Duration
  /// True if the courier has replied since the last idle check.
  private var hasCarried = false
  private var backOff = CourierClient.shortestBackOff

  private static let shortestBackOff: Duration = .milliseconds(100)
  private static let longestBackOff: Duration = .seconds(5)

  /// Maximum number of waiting requests; further decisions are accepted nevertheless.
  public static let maximumWaiting = 4096

  /// Creates a client without connecting.
  ///
  /// `grace` is the additional time that this client waits after the courier's timeout. A child is ended when
  /// it has been idle for one to two times `idleTime`.
  public init(
    _ endpoint: CourierEndpoint,
    allowedOrigins: Set<Origin>,
    grace: Duration = .seconds(5),
    idleTime: Duration = .seconds(60),
    beforeSending: @escaping @EventLoop () async throws -> Void
  ) {
    self.endpoint = endpoint
    self.allowedOrigins = allowedOrigins
    self.grace = grace
    self.idleTime = idleTime
    self.beforeSending = beforeSending
  }

  /// The process ID of the courier if it runs as a child.
  public var childProcess: pid_t? { connection?.childProcess }

  /// Ends the connection and the child permanently; requests in flight fail.
  public func stop() {
    let connection = connection
    if case .backingOff(let timer) = state { timer.cancel() }
    state = .stopped
    connection?.close()
    failAll()
  }

  /// Replaces the allowed origins; a courier that runs as a child reloads its configuration.
  public func allow(_ origins: Set<Origin>) {
    allowedOrigins = origins
    connection?.reload()
  }

  /// Sends a request and returns its response; cancelling the task cancels the request.
  public func send(_ request: consuming CourierRequest) async throws(CourierFailure) -> CourierResponse {
    guard allowedOrigins.contains(request.url.origin) else { throw .refusedOrigin }
    if let problem = request.problem { throw problem }
    do { try await beforeSending() } catch { throw .cancelled }
    let isFull = exchanges.count >= CourierLimits.maximumUnderWay + Self.maximumWaiting
    if isFull, request.priority.urgency != .decision { throw .busy }
    if Task.isCancelled { throw .cancelled }
    let id = try nextID()
    let (priority, origin, timeout) = (request.priority, request.url.origin, request.timeout)
    let exchange = CourierCall(request, until: uptime + timeout)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exchange.continuation = continuation
        exchange.timer = EventLoop.after(timeout + grace) { self.giveUp(id) }
        exchanges[id] = exchange
        if queue.add(id, priority, to: origin) { sendWaiting() } else { settle(id, .failure(.busy)) }
      }
    } onCancel: {
      EventLoop.task { self.cancel(id) }
    }
    return try outcome.get()
  }

  var uptime: Duration { EventLoop.uptime }

  var connection: CourierConnection? {
    if case .up(let connection) = state { connection } else { nil }
  }

  func nextID() throws(CourierFailure) -> ExchangeID {
    if case .stopped = state { throw .courierGone }
    lastID = lastID.next
    return lastID
  }

  /// Sends the waiting requests, connecting to the courier or starting it if necessary.
  func sendWaiting() {
    if case .down = state, isNeeded { open() }
    guard let connection else { return }
    transmitListenings(on: connection)
    transmitFeeds(on: connection)
    while let id = queue.takeNext() { transmit(id, on: connection) }
  }

  private var isNeeded: Bool { !exchanges.isEmpty || !listenings.isEmpty || !feeds.isEmpty }

  private func transmit(_ id: ExchangeID, on connection: CourierConnection) {
    guard let exchange = exchanges[id], var request = exchange.takeRequest() else { return }
    // Subtract the time in the queue, so that the courier's timeout expires before the timer of this client.
    request.timeout = exchange.deadline - uptime
    guard request.timeout > .zero else { return settle(id, .failure(.timeout)) }
    guard let frame = CourierFrame.encode(CourierOrder.request(id, request).serialized) else {
      return settle(id, .failure(.tooLarge))
    }
    connection.send(frame)
  }

  private func settle(_ id: ExchangeID, _ outcome: Result<CourierResponse, CourierFailure>) {
    guard let exchange = exchanges.removeValue(forKey: id) else { return }
    queue.remove(id)
    exchange.finish(outcome)
  }

  private func cancel(_ id: ExchangeID) {
    if exchanges[id]?.isSent == true, let frame = CourierFrame.encode(CourierOrder.cancel(id).serialized) {
      connection?.send(frame)
    }
    settle(id, .failure(.cancelled))
    sendWaiting()
  }

  /// Fails a request that has timed out without a reply from the courier.
  private func giveUp(_ id: ExchangeID) {
    let wasSent = exchanges[id]?.isSent == true
    settle(id, .failure(.timeout))
    if wasSent { dropHanging() }
  }

  func dropHanging() {
    Journal.warning("courier does not respond; closing its connection")
    connection?.close()
  }
}

// MARK: - The connection

extension CourierClient {
  private func open() {
    do {
      let connection = try CourierConnection(endpoint)
      connection.onReply = { [weak self] reply in self?.take(reply) }
      connection.onClose = { [weak self] in self?.lost() }
      state = .up(connection)
      if case .child = endpoint { endWhenIdle(connection) }
    } catch {
      Journal.warning("courier cannot be reached", ["error": error])
      goDown()
    }
  }

  /// Ends a child that has been idle; the next request starts another child.
  private func endWhenIdle(_ child: CourierConnection) {
    EventLoop.after(idleTime) { [weak self, weak child] in
      guard let self, let child, self.connection === child else { return }
      guard !self.isNeeded, !self.hasCarried else {
        self.hasCarried = false
        return self.endWhenIdle(child)
      }
      self.state = .down
      child.close()
    }
  }

  private func take(_ reply: CourierReply) {
    backOff = Self.shortestBackOff
    hasCarried = true
    switch reply {
    case .response(let id, let response):
      settle(id, .success(response))
      settleFeed(id, .success(response))
    case .line(let id, let line): take(line, of: id)
    case .listening(let id, let port): opened(id, on: port)
    case .redirected(let id, let query): redirected(id, query)
    case .failure(let id, let failure):
      settle(id, .failure(failure))
      settleListening(id, .failure(failure))
      settleFeed(id, .failure(failure))
    }
    sendWaiting()
  }

  private func lost() {
    guard connection != nil else { return }
    goDown()
  }

  private func goDown() {
    switch endpoint {
    case .socket:
      state = .down
    case .child:
      state = .backingOff(EventLoop.after(backOff) { [weak self] in self?.restart() })
      backOff = min(backOff * 2, Self.longestBackOff)
    }
    failAll()
  }

  private func restart() {
    state = .down
    sendWaiting()
  }

  /// Fails all requests, listeners and subscriptions.
  ///
  /// No request is repeated, because the courier may have sent it already.
  private func failAll() {
    for id in exchanges.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      settle(id, .failure(.courierGone))
    }
    for id in listenings.keys { settleListening(id, .failure(.courierGone)) }
    for id in feeds.keys { settleFeed(id, .failure(.courierGone)) }
  }
}

/// Sends one request through the courier, or through a replacement in tests.
///
/// Consumes the request, so that no copy stays in memory while a poll waits for its response.
public typealias CourierExchange =
  @EventLoop (consuming CourierRequest) async throws(CourierFailure) -> CourierResponse
