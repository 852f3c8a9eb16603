import Connections
import CourierLink
import CourierProtocol
import EventLoop
import TestNetwork
import UnixSockets

/// A courier behind a socket whose servers say what a test wants them to say.
@EventLoop
final class ScriptedCourier {
  /// What is answered to a request; `nil`: nothing at all.
  var answer: @EventLoop (CourierRequest) throws(CourierFailure) -> CourierResponse? = {
    _ throws(CourierFailure) in nil
  }
  /// Every request that came.
  private(set) var requests: [CourierRequest] = []

  let path: String
  private let directory: TestDirectory
  private let listener: Descriptor
  private var watch: Watch?
  private var streams: [StreamConnection] = []

  init() throws {
    directory = try TestDirectory(inMemory: true)
    path = "\(directory.path)/courier.sock"
    listener = try UnixSocket.listen(at: path, mode: 0o600)
    watch = try EventLoop.watch(listener.number, for: .readable) { [weak self] _ in try? self?.accept() }
  }

  func stop() {
    watch?.cancel()
    for stream in streams { stream.close() }
  }

  private func accept() throws {
    while let connection = try UnixSocket.accept(from: listener) {
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
    guard case .request(let id, let request)? = try? CourierOrder(parsing: message) else { return }
    requests.append(request)
    let reply: CourierReply
    do throws(CourierFailure) {
      guard let response = try answer(request) else { return }
      reply = .response(id, response)
    } catch {
      reply = .failure(id, error)
    }
    stream.send(CourierFrame.encode(reply.serialized) ?? [])
  }
}

extension CourierRequest {
  /// The value of a header field.
  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}
