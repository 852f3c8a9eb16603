internal import Connections
internal import EventLoop
internal import Synchronization
internal import SystemCalls
internal import UnixSockets

/// Sends the same reply to every line, with the daemon's event loop and connections.
@EventLoop
final class ReadyReplies {
  private let path: String
  private let reply: [UInt8]
  private var listener: Listener?
  private nonisolated let failure = Mutex<SystemError?>(nil)

  nonisolated init(_ path: String, _ reply: String) {
    (self.path, self.reply) = (path, Array("\(reply)\n".utf8))
  }

  /// Serves until the program is killed or an error occurs.
  nonisolated func run() throws(SystemError) {
    EventLoop.task { self.start() }
    EventLoop.run()
    if let error = failure.withLock(\.self) { throw error }
  }

  private func start() {
    do throws(SystemError) {
      let socket = try UnixSocket.listen(at: path, mode: 0o600)
      let listener = Listener(socket, refusal: [], onShortage: fail, serve: serve)
      try listener.start()
      self.listener = listener
    } catch { fail(error) }
  }

  private func serve(_ client: Descriptor) {
    let stream = StreamConnection(client)
    stream.onBytes = { [reply] bytes in
      for byte in bytes where byte == UInt8(ascii: "\n") { stream.send(reply) }
    }
    do { try stream.start() } catch { fail(error) }
  }

  private func fail(_ error: SystemError) {
    failure.withLock { $0 = error }
    EventLoop.stop()
  }
}
