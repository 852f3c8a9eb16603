// libmicrohttpd runs on the event loop. It has no thread of its own, and the loop watches its epoll
// descriptor. A connection is suspended while its handler waits; libmicrohttpd ignores it until it is
// resumed.

internal import CMicroHTTPD
public import EventLoop
internal import Glibc
public import SystemCalls

/// An HTTP/1.1 server on the loopback interface; its handlers run on the event loop.
@EventLoop
public final class HTTPServer {
  /// Responds to a request; the task is cancelled when the client disconnects.
  public typealias Handler = @EventLoop @Sendable (HTTPRequest) async -> HTTPReply

  /// The port that the server listens on.
  public private(set) var port: UInt16 = 0

  let limits: HTTPServerLimits
  private let handler: Handler
  private var daemon: OpaquePointer?
  private var watch: Watch?
  private var timer: Timer?
  private var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
  private var lifetimes: [OpaquePointer: Timer] = [:]
  private var deadline: Timer?
  private var isTurnPlanned = false
  private(set) var isStopping = false

  /// Listens on 127.0.0.1; port 0 selects a free port.
  public init(
    port: UInt16,
    limits: HTTPServerLimits = HTTPServerLimits(),
    handler: @escaping Handler
  ) throws(SystemError) {
    self.limits = limits
    self.handler = handler
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // Safety: libmicrohttpd uses this pointer only until `stop`, which `deinit` calls at the latest.
    let context = Unmanaged.passUnretained(self).toOpaque()
    errno = 0
    let started = withUnsafePointer(to: address) {
      cmicrohttpd_start(
        $0,
        limits.connections,
        limits.idleSeconds,
        limits.connectionMemory,
        changeConnection,
        beginExchange,
        handleExchange,
        completeExchange,
        context
      )
    }
    guard let daemon = started else { throw SystemError("bind", code: errno == 0 ? EADDRINUSE : errno) }
    self.daemon = daemon
    self.port = cmicrohttpd_port(daemon)
    watch = try EventLoop.watch(cmicrohttpd_epoll_descriptor(daemon), for: .readable) { [unowned self] _ in
      turn()
    }
  }

  /// Closes all connections and stops listening; the server cannot be used again.
  public func stop() {
    guard let daemon else { return }
    // libmicrohttpd aborts if a connection is suspended, so all connections are resumed and completed first.
    // Requests that arrive during this time are not started.
    stopListening(daemon)
    for exchange in exchanges.values { exchange.finish(.dropConnection) }
    MHD_run(daemon)
    self.daemon = nil
    watch?.cancel()
    timer?.cancel()
    deadline?.cancel()
    MHD_stop_daemon(daemon)
  }

  /// Stops listening immediately and permanently; running requests may complete within this time.
  public func finish(within time: Duration) {
    guard let daemon, !isStopping else { return }
    stopListening(daemon)
    // The closure keeps the server alive until the deadline, even if its owner releases it.
    deadline = EventLoop.after(time) { self.stop() }
    planTurn()
  }

  private func stopListening(_ daemon: OpaquePointer) {
    guard !isStopping else { return }
    isStopping = true
    let socket = MHD_quiesce_daemon(daemon)
    // A child process that is just being started may hold a copy of the socket, so `close` does not suffice.
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }

  isolated deinit { stop() }

  func begin(_ exchange: HTTPExchange) { exchanges[ObjectIdentifier(exchange)] = exchange }

  func end(_ exchange: HTTPExchange) { exchanges[ObjectIdentifier(exchange)] = nil }

  func opened(_ connection: OpaquePointer) {
    guard let lifetime = limits.lifetime else { return }
    let socket = cmicrohttpd_socket(connection)
    lifetimes[connection] = EventLoop.after(lifetime) { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  func closed(_ connection: OpaquePointer) {
    lifetimes.removeValue(forKey: connection)?.cancel()
    // At its connection limit, libmicrohttpd stops accepting, and resumes only when it is run again.
    if !isStopping { planTurn() }
  }

  func start(_ exchange: HTTPExchange, with request: HTTPRequest) -> Task<Void, Never> {
    let handler = handler
    return EventLoop.task {
      let reply = await handler(request)
      exchange.finish(reply)
      self.planTurn()
    }
  }

  /// Runs libmicrohttpd for resumed connections before the loop waits again.
  private func planTurn() {
    guard !isTurnPlanned else { return }
    isTurnPlanned = true
    EventLoop.atEndOfTurn { [weak self] in self?.turn() }
  }

  private func turn() {
    isTurnPlanned = false
    guard let daemon else { return }
    MHD_run(daemon)
    timer?.cancel()
    timer = nil
    if isStopping, exchanges.isEmpty { return stop() }
    var milliseconds: UInt64 = 0
    guard MHD_get_timeout(daemon, &milliseconds) == .YES else { return }
    timer = EventLoop.after(.milliseconds(Int64(clamping: milliseconds))) { [weak self] in self?.turn() }
  }
}

/// The limits of a server for its clients.
public struct HTTPServerLimits: Sendable {
  /// Maximum number of connections; further ones wait to be accepted.
  public var connections: UInt32 = 256
  /// Maximum idle time of a connection in seconds.
  public var idleSeconds: UInt32 = 60
  /// Maximum duration of a connection; `nil` for no limit besides the idle time.
  public var lifetime: Duration?
  /// Memory of a connection in bytes; a larger request head is refused.
  public var connectionMemory = 64 * 1024
  /// Maximum size of a request body in bytes.
  public var body = 1024 * 1024

  /// The default limits, for experiments and tests.
  public init() {}
}
