import Connections
import CourierProtocol
import EventLoop
import TestNetwork
import UnixSockets

/// Something behind a socket that says what a test wants it to say.
@EventLoop
final class FakeCourier {
  let path: String
  /// The orders that came, over all connections.
  private(set) var orders: [CourierOrder] = []
  /// How many connections were accepted.
  private(set) var connections = 0
  /// Is given each order with the connection that it came over.
  var onOrder: (@EventLoop (CourierOrder, StreamConnection) -> Void)?

  private let directory: TestDirectory
  private let listener: Descriptor
  private var watch: Watch?
  private var streams: [StreamConnection] = []
  private var waiters: [CheckedContinuation<Void, Never>] = []

  init() throws {
    directory = try TestDirectory()
    path = "\(directory.path)/courier.sock"
    listener = try UnixSocket.listen(at: path, mode: 0o600)
    watch = try EventLoop.watch(listener.number, for: .readable) { [weak self] _ in try? self?.accept() }
  }

  /// Waits until so many orders have come, or the test's time is over.
  func orders(_ count: Int) async throws -> [CourierOrder] {
    while orders.count < count {
      try Task.checkCancellation()
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiters.append($0) }
      } onCancel: {
        Task { @EventLoop in self.wake() }
      }
    }
    return orders
  }

  private func wake() {
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.resume() }
  }

  func stop() {
    watch?.cancel()
    for stream in streams { stream.close() }
  }

  private func accept() throws {
    while let connection = try UnixSocket.accept(from: listener) {
      connections += 1
      let stream = StreamConnection(connection)
      var reader = CourierFrameReader()
      stream.onBytes = { [weak self, unowned stream] bytes in
        reader.append(bytes)
        while let message = try? reader.next() { self?.take(message, from: stream) }
      }
      try stream.start()
      streams.append(stream)
    }
  }

  private func take(_ message: ArraySlice<UInt8>, from stream: StreamConnection) {
    guard let order = try? CourierOrder(parsing: message) else { return }
    orders.append(order)
    onOrder?(order, stream)
    wake()
  }
}

extension StreamConnection {
  func send(_ reply: CourierReply) { send(CourierFrame.encode(reply.serialized) ?? []) }
}

extension CourierOrder {
  /// The id of a request; `nil` for any other order.
  var requestID: ExchangeID? {
    if case .request(let id, _) = self { id } else { nil }
  }

  /// The id of an order to listen; `nil` for any other order.
  var listenID: ExchangeID? {
    if case .listen(let id, _) = self { id } else { nil }
  }
}

extension CourierResponse {
  static func text(_ text: String) -> CourierResponse {
    CourierResponse(status: 200, headers: [], body: Array(text.utf8))
  }

  var text: String { String(decoding: body, as: UTF8.self) }
}
