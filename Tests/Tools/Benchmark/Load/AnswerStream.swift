import Glibc
internal import SystemCalls
internal import UnixSockets

/// A connection to a measured server, and its replies.
struct AnswerStream {
  /// The framing of the replies from now on.
  var framing: Exchange.Framing { didSet { counter = AnswerCounter(framing) } }

  private let descriptor: Descriptor
  private var counter: AnswerCounter

  init(to path: String, _ framing: Exchange.Framing) throws {
    descriptor = try UnixSocket.connect(to: path)
    (self.framing, counter) = (framing, AnswerCounter(framing))
  }

  /// The argument for poll(2) to wait for data.
  var poll: pollfd { pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0) }

  /// Sends all bytes and blocks until they are sent.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      sent += try bytes.withUnsafeBytes { try descriptor.send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
    }
  }

  /// Reads once and returns the number of replies that end in the data.
  ///
  /// Throws: ``AnswerCounter/Refused``.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard let count = try descriptor.read(into: buffer), count > 0 else {
      throw SystemError("read", code: ECONNRESET)
    }
    return try counter.count(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }
}
