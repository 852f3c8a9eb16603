package import CourierProtocol
package import EventLoop
internal import TestNetwork
internal import UnixSockets

/// A courier with a socket, which returns the replies of the test.
@EventLoop
package final class FakeCourier {
  package let path: String
  /// The received orders of all connections.
  package private(set) var orders: [CourierOrder] = []
  /// Number of connections that were accepted.
  package private(set) var connections = 0
  /// Called for each order with its connection.
  package var onOrder: (@EventLoop (CourierOrder, CourierLine) -> Void)?

  private let directory: TestDirectory
  private let listener: Descriptor
  private var watch: Watch?
  private var lines: [CourierLine] = []
  private var waiters: [CheckedContinuation<Void, Never>] = []

  package init() throws {
    directory = try TestDirectory(inMemory: true)
    path = "\(directory.path)/courier.sock"
    listener = try UnixSocket.listen(at: path, mode: 0o600)
    watch = try EventLoop.watch(listener.number, for: .readable) { [weak self] _ in try? self?.accept() }
  }

  /// The received requests.
  package var requests: [CourierRequest] {
    orders.compactMap { if case .request(_, let request) = $0 { request } else { nil } }
  }

  /// Replies to each request with a response or a failure; `nil` sends no reply.
  package func answer(
    _ response: @escaping @EventLoop (CourierRequest) throws(CourierFailure) -> CourierResponse?
  ) {
    onOrder = { order, line in
      guard case .request(let id, let request) = order else { return }
      do throws(CourierFailure) {
        if let response = try response(request) { line.send(.response(id, response)) }
      } catch { line.send(.failure(id, error)) }
    }
  }

  /// Waits until this number of orders has arrived, or the test has timed out.
  package func orders(_ count: Int) async throws -> [CourierOrder] {
    while orders.count < count {
      try Task.checkCancellation()
      await withTaskCancellationHandler {
        await withCheckedContinuation { waiters.append($0) }
      } onCancel: {
        EventLoop.task { self.wake() }
      }
    }
    return orders
  }

  private func wake() {
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.resume() }
  }

  package func stop() {
    watch?.cancel()
    for line in lines { line.close() }
  }

  private func accept() throws {
    while let descriptor = try UnixSocket.accept(from: listener) {
      connections += 1
      let line = try CourierLine(descriptor)
      line.onOrder = { [weak self, unowned line] in self?.take($0, from: line) }
      lines.append(line)
    }
  }

  private func take(_ order: CourierOrder, from line: CourierLine) {
    orders.append(order)
    onOrder?(order, line)
    wake()
  }
}
