internal import Connections
internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import Journal
internal import SystemCalls
internal import UnixSockets

/// One connection to a courier, and the courier's process if it is a child.
@EventLoop
final class CourierConnection {
  /// Called with each reply.
  var onReply: (@EventLoop (CourierReply) -> Void)?
  /// Called once when the connection has ended.
  var onClose: (@EventLoop () -> Void)?

  private let stream: StreamConnection
  private let process: CourierProcess?
  private var reader = CourierFrameReader()

  /// Connects to the socket or starts the child.
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

  /// The process ID of the child, if there is one.
  var childProcess: pid_t? { process?.process }

  /// Ends the connection and the child immediately and calls `onClose`.
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
      Journal.warning("courier sent an invalid reply")
      close()
    }
  }
}

/// One request that waits for its response.
@EventLoop
final class CourierCall {
  /// The request to send; `nil` after it was sent.
  private(set) var request: CourierRequest?
  let deadline: Duration
  var timer: Timer?
  var continuation: CheckedContinuation<Result<CourierResponse, CourierFailure>, Never>?

  init(_ request: consuming CourierRequest, until deadline: Duration) {
    (self.request, self.deadline) = (request, deadline)
  }

  var isSent: Bool { request == nil }

  /// Returns the request for sending and marks it as sent.
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
