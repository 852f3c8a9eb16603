internal import Connections
internal import CourierProtocol
internal import CurlClient
internal import EventLoop
internal import Journal
internal import SystemCalls
internal import UnixSockets
internal import WebAddress

/// The connection of one peer.
///
/// Its orders start transfers, listeners and subscriptions; their outcomes become replies.
@EventLoop
final class CourierSession {
  let stream: StreamConnection
  unowned let courier: Courier
  private var reader = CourierFrameReader()
  private var transfers: [ExchangeID: CurlTransfer] = [:]
  private var listeners: [ExchangeID: RedirectListener] = [:]
  var subscriptions: [ExchangeID: Subscription] = [:]

  /// Maximum unsent bytes.
  ///
  /// Above it, the courier stops reading requests of the peer.
  private static let maximumUnsent = 8 << 20

  init(_ connection: Descriptor, courier: Courier) {
    stream = StreamConnection(connection)
    self.courier = courier
  }

  func start() throws(SystemError) {
    stream.onBytes = { [weak self] bytes in self?.receive(bytes) }
    stream.onDrained = { [weak self] in self?.stream.isReading = true }
    stream.onClose = { [weak self] in self?.finish() }
    try stream.start()
  }

  func close() { stream.close() }

  private func finish() {
    for transfer in transfers.values {
      transfer.cancel()
      courier.requestEnded()
    }
    transfers = [:]
    for listener in listeners.values {
      listener.cancel()
      courier.listeningEnded()
    }
    listeners = [:]
    for id in subscriptions.keys { endSubscription(id) }
    courier.ended(self)
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    reader.append(bytes)
    do {
      while let message = try reader.next() { try follow(message) }
    } catch {
      Journal.warning("peer sent an invalid order")
      close()
    }
  }

  private func follow(_ message: ArraySlice<UInt8>) throws {
    do {
      switch try CourierOrder(parsing: message) {
      case .cancel(let id): cancel(id)
      case .request(let id, let request):
        guard !isUnderWay(id) else { throw CourierOrderError.unreadable }
        begin(id, request)
      case .listen(let id, let redirect):
        guard !isUnderWay(id) else { throw CourierOrderError.unreadable }
        listen(id, for: redirect)
      case .subscribe(let id, let url):
        guard !isUnderWay(id) else { throw CourierOrderError.unreadable }
        subscribe(id, to: url)
      }
    } catch CourierOrderError.refused(let id, let failure) where !isUnderWay(id) {
      send(.failure(id, failure))
    }
  }

  private func isUnderWay(_ id: ExchangeID) -> Bool {
    transfers[id] != nil || listeners[id] != nil || subscriptions[id] != nil
  }

  private func begin(_ id: ExchangeID, _ request: CourierRequest) {
    let origin = request.url.origin.text
    do throws(CourierFailure) {
      try courier.mayBegin(request)
      do throws(CurlError) {
        transfers[id] = try courier.client.start(CurlRequest(request)) { [weak self] outcome in
          self?.complete(id, outcome, origin: origin)
        }
      } catch {
        throw CourierFailure(error)
      }
      courier.requestBegan()
    } catch {
      Journal.debug("request refused", ["origin": origin, "failure": error.rawValue])
      send(.failure(id, error))
    }
  }

  private func complete(_ id: ExchangeID, _ outcome: Result<CurlResponse, CurlError>, origin: String) {
    guard transfers.removeValue(forKey: id) != nil else { return }
    courier.requestEnded()
    switch outcome {
    case .success(let response):
      Journal.debug("request done", ["origin": origin, "status": response.status])
      send(.response(id, CourierResponse(response)))
    case .failure(let error):
      Journal.debug("request failed", ["origin": origin, "error": "\(error)"])
      send(.failure(id, CourierFailure(error)))
    }
  }

  private func cancel(_ id: ExchangeID) {
    // An unknown exchange has been answered already.
    if let transfer = transfers.removeValue(forKey: id) {
      transfer.cancel()
      courier.requestEnded()
      send(.failure(id, .cancelled))
    } else if let listener = listeners.removeValue(forKey: id) {
      listener.cancel()
      courier.listeningEnded()
      send(.failure(id, .cancelled))
    } else if endSubscription(id) {
      send(.failure(id, .cancelled))
    }
  }

  private func listen(_ id: ExchangeID, for redirect: ExpectedRedirect) {
    do throws(CourierFailure) {
      try courier.mayListen()
      let listener = try RedirectListener(redirect) { [weak self] query in
        self?.send(.redirected(id, query: query))
      } onTimeout: { [weak self] in
        self?.timedOut(id)
      }
      listeners[id] = listener
      courier.listeningBegan()
      send(.listening(id, port: listener.port))
    } catch {
      Journal.debug("listener refused", ["failure": error.rawValue])
      send(.failure(id, error))
    }
  }

  private func timedOut(_ id: ExchangeID) {
    guard listeners.removeValue(forKey: id) != nil else { return }
    courier.listeningEnded()
    send(.failure(id, .timeout))
  }

  func send(_ reply: CourierReply) {
    if let frame = CourierFrame.encode(reply.serialized) {
      stream.send(frame)
    } else if case .response(let id, _) = reply {
      send(.failure(id, .tooLarge))
    }
    if stream.unsentCount > Self.maximumUnsent { stream.isReading = false }
  }
}

extension CurlRequest {
  /// The HTTP request of an order.
  init(_ request: CourierRequest) {
    self.init(
      request.method.rawValue,
      request.url,
      headers: request.headers.map { ($0.name, $0.value) },
      body: request.body,
      timeout: request.timeout,
      maximumBody: CourierLimits.maximumBody
    )
  }
}

extension CourierResponse {
  /// The reply to the peer for an HTTP response.
  init(_ response: CurlResponse) {
    self.init(
      status: response.status,
      headers: response.headers.map { CourierHeader($0.name, $0.value) },
      body: response.body
    )
  }
}

extension CourierFailure {
  /// The failure that is reported to `mfad`.
  ///
  /// The error text stays in this process.
  init(_ error: CurlError) {
    switch error {
    case .refusedScheme: self = .refusedOrigin
    case .refusedAddress: self = .refusedAddress
    case .malformedHeader: self = .malformed
    case .unresolved: self = .unresolved
    case .refused: self = .refused
    case .unreachable, .setUp: self = .unreachable
    case .timeout: self = .timeout
    case .tls: self = .tls
    case .certificate(.expired): self = .expiredCertificate
    case .certificate(.notYetValid): self = .earlyCertificate
    case .certificate(.otherHost): self = .foreignCertificate
    case .certificate(.unknownIssuer): self = .unknownCertificate
    case .tooLarge: self = .tooLarge
    }
  }
}

extension CourierSession {
  func subscribe(_ id: ExchangeID, to url: WebURL) {
    let origin = url.origin.text
    do throws(CourierFailure) {
      try courier.maySubscribe(to: url)
      subscriptions[id] = try Subscription(to: url, client: courier.client, alarm: courier.alarm) {
        [weak self] line in
        self?.hand(line, of: id)
      } onEnd: { [weak self] outcome in
        Journal.debug("subscription ended", ["origin": origin])
        self?.ended(id, outcome)
      }
      courier.subscriptionBegan()
      Journal.debug("subscription started", ["origin": origin])
    } catch {
      Journal.debug("subscription refused", ["origin": origin, "failure": error.rawValue])
      send(.failure(id, error))
    }
  }

  /// Ends a subscription without a reply.
  ///
  /// Returns false if there is none with that ID.
  @discardableResult
  private func endSubscription(_ id: ExchangeID) -> Bool {
    guard let subscription = subscriptions.removeValue(forKey: id) else { return false }
    subscription.cancel()
    courier.subscriptionEnded()
    return true
  }

  private func hand(_ line: [UInt8], of id: ExchangeID) {
    guard subscriptions[id] != nil else { return }
    // End the subscription if the relay sends faster than the peer reads. The peer must subscribe again.
    guard stream.unsentCount <= Self.maximumUnsent else {
      endSubscription(id)
      return send(.failure(id, .busy))
    }
    send(.line(id, line))
  }

  private func ended(_ id: ExchangeID, _ outcome: Result<CurlResponse, CourierFailure>) {
    guard endSubscription(id) else { return }
    switch outcome {
    case .success(let response): send(.response(id, CourierResponse(response)))
    case .failure(let failure): send(.failure(id, failure))
    }
  }
}
