internal import ControlClient
internal import Glibc
internal import SystemCalls
internal import UnixSockets

/// Reads lines from a descriptor in bounded memory.
struct LineReader {
  enum Outcome {
    /// The bytes before the line feed, without a carriage return.
    case line(ArraySlice<UInt8>)
    case tooLong
    case end
    case timedOut
    /// The other descriptor is readable.
    case beside
  }

  private let descriptor: Descriptor
  private let maximumLine: Int
  private var buffer: [UInt8] = []
  /// Number of bytes already returned, and number of bytes already searched for a line feed.
  private var start = 0
  private var searched = 0

  init(_ descriptor: Descriptor, maximumLine: Int) {
    self.descriptor = descriptor
    self.maximumLine = maximumLine
  }

  /// Waits for a line until the deadline, or until another descriptor is readable.
  mutating func next(
    _ waiter: Waiter,
    until deadline: Deadline,
    beside other: Int32 = -1
  ) throws(Failure) -> Outcome {
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        var line = buffer[start..<end]
        (start, searched) = (end + 1, end + 1)
        guard line.count <= maximumLine else { return .tooLong }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return .line(line)
      }
      searched = buffer.count
      guard buffer.count - start <= maximumLine else { return .tooLong }
      switch try waiter.wait(for: descriptor.number, POLLIN, beside: other, until: deadline) {
      case .timedOut: return .timedOut
      case .beside: return .beside
      case .ready: guard read() else { return .end }
      }
    }
  }

  /// Returns the bytes that `next` has not returned; after `.end`, an incomplete last line.
  mutating func takeRest() -> ArraySlice<UInt8> {
    defer { (start, searched) = (buffer.count, buffer.count) }
    return buffer[start...]
  }

  /// Overwrites the buffer with zeros.
  mutating func wipe() {
    for index in buffer.indices { buffer[index] = 0 }
    buffer.removeAll(keepingCapacity: true)
    (start, searched) = (0, 0)
  }

  private mutating func read() -> Bool {
    if start > 0 {
      buffer.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    let chunk = 16 * 1024
    let count = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: chunk))
    var got: Int?
    do {
      got = try buffer.withUnsafeMutableBytes { (bytes) throws(SystemError) in
        try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
      }
    } catch {
      got = 0
    }
    // A descriptor may be ready without data (`nil`): read again later.
    buffer.removeSubrange((count + (got ?? 0))...)
    return got != 0
  }
}
