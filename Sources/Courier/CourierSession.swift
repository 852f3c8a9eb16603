internal import CourierProtocol
internal import CurlClient
internal import EventLoop
internal import Journal
internal import UnixSockets
internal import WebAddress

/// One peer: its orders become transfers, their outcomes replies.
@EventLoop
final class CourierSession {
  private let stream: StreamConnection
  private unowned let courier: Courier
  private var reader = CourierFrameReader()
  private var transfers: [ExchangeID: CurlTransfer] = [:]

  /// A peer that does not take its answers is not asked for more requests.
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
    courier.ended(self)
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    reader.append(bytes)
    do {
      while let message = try reader.next() { try follow(message) }
    } catch {
      Journal.warning("peer sent something that is no order")
      close()
    }
  }

  private func follow(_ message: ArraySlice<UInt8>) throws {
    do {
      switch try CourierOrder(parsing: message) {
      case .cancel(let id): cancel(id)
      case .request(let id, let request):
        guard transfers[id] == nil else { throw CourierOrderError.unreadable }
        begin(id, request)
      }
    } catch CourierOrderError.refused(let id, let failure) where transfers[id] == nil {
      answer(.failure(id, failure))
    }
  }

  private func begin(_ id: ExchangeID, _ request: CourierRequest) {
    let origin = request.url.origin.text
    do throws(CourierFailure) {
      try courier.mayBegin(request)
      do throws(CurlError) {
        transfers[id] = try courier.client.start(HTTPRequest(request)) { [weak self] outcome in
          self?.complete(id, outcome, origin: origin)
        }
      } catch {
        throw CourierFailure(error)
      }
      courier.requestBegan()
    } catch {
      Journal.debug("request refused", ["origin": origin, "failure": error.rawValue])
      answer(.failure(id, error))
    }
  }

  private func complete(_ id: ExchangeID, _ outcome: Result<HTTPResponse, CurlError>, origin: String) {
    guard transfers.removeValue(forKey: id) != nil else { return }
    courier.requestEnded()
    switch outcome {
    case .success(let response):
      Journal.debug("request done", ["origin": origin, "status": response.status])
      answer(.response(id, CourierResponse(response)))
    case .failure(let error):
      Journal.debug("request failed", ["origin": origin, "error": "\(error)"])
      answer(.failure(id, CourierFailure(error)))
    }
  }

  private func cancel(_ id: ExchangeID) {
    // One that is unknown has been answered meanwhile.
    guard let transfer = transfers.removeValue(forKey: id) else { return }
    transfer.cancel()
    courier.requestEnded()
    answer(.failure(id, .cancelled))
  }

  private func answer(_ reply: CourierReply) {
    if let frame = CourierFrame.encode(reply.serialized) {
      stream.send(frame)
    } else if case .response(let id, _) = reply {
      answer(.failure(id, .tooLarge))
    }
    if stream.unsentCount > Self.maximumUnsent { stream.isReading = false }
  }
}
