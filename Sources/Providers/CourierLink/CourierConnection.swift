internal import Connections
internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import Journal
internal import SystemCalls
internal import UnixSockets

/// One connection to a courier, with the process behind it if that is a child of ours.
@EventLoop
final class CourierConnection {
  /// Is given each reply.
  var onReply: (@EventLoop (CourierReply) -> Void)?
  /// Is called once when the connection is over.
  var onClose: (@EventLoop () -> Void)?

  private let stream: StreamConnection
  private let process: CourierProcess?
  private var reader = CourierFrameReader()

  /// Connects or starts the child.
  init(_ endpoint: CourierEndpoint) throws(SystemError) {
    switch endpoint {
    case .socket(let path):
      stream = StreamConnection(try UnixSocket.connectWithoutWaiting(to: path))
      process = nil
    case .child(let command):
      let (ours, theirs) = try UnixSocket.pair()
      process = try CourierProcess(command, socket: theirs)
      stream = StreamConnection(ours)
    }
    stream.onBytes = { [weak self] bytes in self?.receive(bytes) }
    stream.onClose = { [weak self] in self?.finish() }
    do {
      try stream.start()
    } catch {
      process?.end()
      throw error
    }
  }

  func send(_ frame: [UInt8]) { stream.send(frame) }

  func reload() { process?.reload() }

  /// The process id of the child, if there is one.
  var childProcess: pid_t? { process?.process }

  /// Ends the connection and the child at once; `onClose` is called.
  func close() { stream.close() }

  private func finish() {
    process?.end()
    let onClose = onClose
    (self.onReply, self.onClose) = (nil, nil)
    onClose?()
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    reader.append(bytes)
    do {
      while let message = try reader.next() { onReply?(try CourierReply(parsing: message)) }
    } catch {
      Journal.warning("courier sent something that is no reply")
      close()
    }
  }
}

/// One request that waits for its response.
@EventLoop
final class CourierCall {
  /// What is to be sent; gone once it was.
  private(set) var request: CourierRequest?
  let deadline: Duration
  var timer: Timer?
  var continuation: CheckedContinuation<Result<CourierResponse, CourierFailure>, Never>?

  init(_ request: consuming CourierRequest, until deadline: Duration) {
    (self.request, self.deadline) = (request, deadline)
  }

  var isSent: Bool { request == nil }

  /// Hands the request over to be sent.
  func takeRequest() -> CourierRequest? {
    defer { request = nil }
    return request
  }

  func finish(_ outcome: Result<CourierResponse, CourierFailure>) {
    timer?.cancel()
    continuation?.resume(returning: outcome)
    continuation = nil
  }
}
