internal import Connections
package import CourierProtocol
package import EventLoop
package import UnixSockets

/// One connection to a courier, on the courier's side.
@EventLoop
package final class CourierLine {
  package var onOrder: (@EventLoop (CourierOrder) -> Void)?
  package var onClose: (@EventLoop () -> Void)?

  private let stream: StreamConnection
  private var reader = CourierFrameReader()

  package init(_ descriptor: Descriptor) throws {
    stream = StreamConnection(descriptor)
    stream.onBytes = { [weak self] in self?.take($0) }
    stream.onClose = { [weak self] in self?.onClose?() }
    try stream.start()
  }

  package func close() { stream.close() }

  package func send(_ reply: CourierReply) { send(CourierFrame.encode(reply.serialized) ?? []) }

  package func send(_ bytes: [UInt8]) { stream.send(bytes) }

  /// Passes each order on.
  ///
  /// Closes the connection on any other data.
  private func take(_ bytes: UnsafeRawBufferPointer) {
    reader.append(bytes)
    while let message = try? reader.next() {
      guard let order = try? CourierOrder(parsing: message) else { return close() }
      onOrder?(order)
    }
  }
}
