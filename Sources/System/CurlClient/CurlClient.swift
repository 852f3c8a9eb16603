internal import CCurl
public import EventLoop

/// Sends HTTP requests concurrently on the event loop, with libcurl's multi interface.
@EventLoop
public final class CurlClient {
  private let settings: CurlSettings
  private let wishes = PendingCurlActions()
  private var multi: UnsafeMutableRawPointer?
  private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  private var watches: [curl_socket_t: Watch] = [:]
  private var timer: Timer?

  /// Maximum number of idle connections kept open for later requests.
  private static let maximumIdleConnections = 16

  /// Initialises libcurl once per process, at the first request, because initialisation takes milliseconds.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// Creates a client with these settings.
  ///
  /// libcurl is initialised at the first request.
  public init(_ settings: CurlSettings) { self.settings = settings }

  isolated deinit {
    timer?.cancel()
    for watch in watches.values { watch.cancel() }
    if let multi { curl_multi_cleanup(multi) }
  }

  /// Starts a request.
  ///
  /// The completion is called once, after this function has returned, unless the transfer is cancelled.
  ///
  /// If `onBytes` is given, it gets the body of a response with status 200 in parts, as the body arrives.
  public func start(
    _ request: CurlRequest,
    onBytes: (@EventLoop ([UInt8]) -> Void)? = nil,
    _ completion: @escaping @EventLoop (Result<CurlResponse, CurlError>) -> Void
  ) throws(CurlError) -> CurlTransfer {
    let multi = try openMulti()
    let transfer = try CurlTransfer(
      request,
      settings: settings,
      client: self,
      onBytes: onBytes,
      completion: completion
    )
    guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
      transfer.free()
      throw .setUp("curl_multi_add_handle")
    }
    transfers[transfer.easy] = transfer
    applyPendingActions()
    return transfer
  }

  func cancel(_ transfer: CurlTransfer) {
    remove(transfer.easy)
    applyPendingActions()
  }

  private func openMulti() throws(CurlError) -> UnsafeMutableRawPointer {
    if let multi { return multi }
    guard Self.isReady, let multi = curl_multi_init() else { throw .setUp("curl_multi_init") }
    let context = Unmanaged.passUnretained(wishes).toOpaque()
    guard ccurl_multi_set_socket_callback(multi, curlWatchSocket, context) == CURLM_OK,
      ccurl_multi_set_timer_callback(multi, curlSetTimer, context) == CURLM_OK,
      ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumIdleConnections) == CURLM_OK
    else {
      curl_multi_cleanup(multi)
      throw .setUp("curl_multi_setopt")
    }
    self.multi = multi
    return multi
  }

  private func handle(_ socket: curl_socket_t, _ ready: Interest) {
    var events: Int32 = 0
    if ready.contains(.readable) { events |= CURL_CSELECT_IN }
    if ready.contains(.writable) { events |= CURL_CSELECT_OUT }
    if !ready.isDisjoint(with: .closed) { events |= CURL_CSELECT_ERR }
    act(socket, events)
  }

  /// Lets libcurl process a socket or timeout, then applies its requests to the loop and completes finished
  /// transfers.
  private func act(_ socket: curl_socket_t, _ events: Int32) {
    guard let multi else { return }
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, events, &running)
    let streams = transfers.values.filter { $0.onBytes != nil }
    let arrived = streams.map { (transfer: $0, bytes: $0.arrived()) }.filter { !$0.bytes.isEmpty }
    var done: [(CurlTransfer, Result<CurlResponse, CurlError>)] = []
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
        let transfer = transfers[easy]
      else { continue }
      done.append((transfer, transfer.outcome(message.pointee.data.result)))
      remove(easy)
    }
    applyPendingActions()
    // The handlers are called last, because they may start or cancel other transfers.
    for (transfer, bytes) in arrived where !transfer.isCancelled { transfer.onBytes?(bytes) }
    for (transfer, outcome) in done where !transfer.isCancelled { transfer.completion(outcome) }
  }

  private func remove(_ easy: UnsafeMutableRawPointer) {
    guard let multi, let transfer = transfers.removeValue(forKey: easy) else { return }
    curl_multi_remove_handle(multi, easy)
    transfer.free()
  }

  private func applyPendingActions() {
    let sockets = wishes.sockets
    wishes.sockets = []
    for (socket, interest) in sockets { watch(socket, for: interest) }
    guard let timeout = wishes.timeout else { return }
    wishes.timeout = nil
    timer?.cancel()
    timer = nil
    guard timeout >= 0 else { return }
    timer = EventLoop.after(.milliseconds(timeout)) { [weak self] in
      self?.act(CURL_SOCKET_BAD, 0)
    }
  }

  private func watch(_ socket: curl_socket_t, for interest: Interest?) {
    guard let interest else {
      watches.removeValue(forKey: socket)?.cancel()
      return
    }
    if let watch = watches[socket] {
      watch.interest = interest
      return
    }
    // If the socket cannot be watched, its request ends with the timeout.
    watches[socket] = try? EventLoop.watch(socket, for: interest) { [weak self] ready in
      self?.handle(socket, ready)
    }
  }
}
