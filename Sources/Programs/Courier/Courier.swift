public import Configuration
internal import Connections
internal import CourierProtocol
internal import CurlClient
public import EventLoop
public import Glibc
internal import Journal
public import SystemCalls
public import UnixSockets
internal import Usage
internal import WebAddress

/// Sends requests of its peers to the origins that the configuration allows.
@EventLoop
public final class Courier {
  /// Called when there has been no work for the idle time.
  public var onIdle: (@EventLoop () -> Void)?
  /// Called when a peer has disconnected.
  public var onPeerGone: (@EventLoop () -> Void)?
  /// True if the configuration is valid.
  ///
  /// Without a valid one, requests, listeners and subscriptions are refused.
  public var isConfigured = true

  private var allowedOrigins: Set<Origin>
  private var relayOrigins: Set<Origin>
  private var settings: CurlSettings
  private(set) var client: CurlClient
  private let permittedUsers: Set<uid_t>
  private let idleTime: Duration?
  let alarm: Alarm
  private var sessions: [ObjectIdentifier: CourierSession] = [:]
  private var listener: Listener?
  private var idleTimer: Timer?

  /// Number of requests in flight, of all peers.
  private(set) var underWay = 0 {
    didSet { workChanged() }
  }

  /// Number of active redirect listeners.
  private(set) var listening = 0 {
    didSet { workChanged() }
  }

  /// Number of active subscriptions.
  private(set) var subscribed = 0 {
    didSet { workChanged() }
  }

  /// A courier that serves these users and root.
  ///
  /// Without an idle time, `onIdle` is never called.
  public init(
    _ configuration: Configuration,
    permittedUsers: Set<uid_t>,
    idleTime: Duration?,
    alarm: @escaping Alarm = { delay, handler in
      let timer = EventLoop.after(delay, handler)
      return { timer.cancel() }
    }
  ) {
    allowedOrigins = configuration.allowedOrigins
    relayOrigins = Set(configuration.pushRelays.map(\.origin))
    settings = CurlSettings(configuration)
    client = CurlClient(settings)
    self.permittedUsers = permittedUsers.union([0])
    (self.idleTime, self.alarm) = (idleTime, alarm)
    workChanged()
  }

  /// Applies a new configuration to future requests.
  public func configure(_ configuration: Configuration) {
    allowedOrigins = configuration.allowedOrigins
    relayOrigins = Set(configuration.pushRelays.map(\.origin))
    let settings = CurlSettings(configuration)
    guard settings != self.settings else { return }
    self.settings = settings
    client = CurlClient(settings)
  }

  /// Accepts peers from a listening socket.
  public func listen(on listener: Descriptor) throws(SystemError) {
    // The protocol has no frame that refuses a connection. A peer reconnects after its connection is closed.
    let listener = Listener(
      listener,
      refusal: [],
      onShortage: { Journal.error("cannot accept", ["error": $0]) }
    ) { [weak self] in try? self?.serve($0) }
    try listener.start()
    self.listener = listener
  }

  /// Serves a connected socket.
  ///
  /// Throws EACCES if the user of the peer is not permitted.
  public func serve(_ connection: Descriptor) throws(SystemError) {
    let user = try UnixSocket.peer(of: connection).user
    guard permittedUsers.contains(user) else {
      Journal.warning("peer refused", ["user": user])
      throw SystemError("accept", code: EACCES)
    }
    let session = CourierSession(connection, courier: self)
    try session.start()
    sessions[ObjectIdentifier(session)] = session
  }

  /// Closes all connections and cancels all requests.
  public func stop() {
    idleTimer?.cancel()
    listener?.stop()
    listener = nil
    for session in sessions.values { session.close() }
  }

  private func workChanged() {
    idleTimer?.cancel()
    idleTimer = nil
    guard let idleTime, underWay == 0, listening == 0, subscribed == 0 else { return }
    idleTimer = EventLoop.after(idleTime) { [weak self] in self?.onIdle?() }
  }
}

// MARK: - For sessions

extension Courier {
  private func requireConfiguration() throws(CourierFailure) {
    guard isConfigured else { throw .misconfigured }
  }

  func mayBegin(_ request: CourierRequest) throws(CourierFailure) {
    try requireConfiguration()
    guard allowedOrigins.contains(request.url.origin) else { throw .refusedOrigin }
    guard underWay < CourierLimits.maximumUnderWay else { throw .busy }
  }

  func requestBegan() { underWay += 1 }

  func requestEnded() { underWay -= 1 }

  func mayListen() throws(CourierFailure) {
    try requireConfiguration()
    guard listening < CourierLimits.maximumListeners else { throw .busy }
  }

  func listeningBegan() { listening += 1 }

  func listeningEnded() { listening -= 1 }

  /// Subscriptions are allowed only at configured relays, requests only at allowed origins.
  func maySubscribe(to url: WebURL) throws(CourierFailure) {
    try requireConfiguration()
    guard relayOrigins.contains(url.origin) else { throw .refusedOrigin }
    guard subscribed < CourierLimits.maximumSubscriptions else { throw .busy }
  }

  func subscriptionBegan() { subscribed += 1 }

  func subscriptionEnded() { subscribed -= 1 }

  func ended(_ session: CourierSession) {
    sessions[ObjectIdentifier(session)] = nil
    onPeerGone?()
  }
}

extension CurlSettings {
  fileprivate init(_ configuration: Configuration) {
    self.init(
      certificateAuthorityFile: configuration.certificateAuthorityFile,
      proxy: configuration.proxy,
      allowsLoopbackHTTP: configuration.allowsLoopbackHTTP,
      userAgent: "mfad-courier/\(Version.text)"
    )
  }
}
