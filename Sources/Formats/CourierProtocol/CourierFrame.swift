/// The framing of messages on a stream: four bytes of length, most significant first, then the message.
public enum CourierFrame {
  /// The longest message, in bytes.
  public static let maximumLength = 1 << 20

  /// A message with its length before it; `nil` if it is too long.
  public static func encode(_ message: [UInt8]) -> [UInt8]? {
    guard message.count <= maximumLength else { return nil }
    let length = UInt32(message.count)
    var frame: [UInt8] = []
    frame.reserveCapacity(4 + message.count)
    for shift in [24, 16, 8, 0] as [UInt32] { frame.append(UInt8(truncatingIfNeeded: length >> shift)) }
    frame += message
    return frame
  }
}

/// The other side announced a message that is longer than allowed; there is no way to go on after it.
public struct CourierFrameTooLong: Error {}

/// Takes messages out of a stream, however it was cut into pieces.
public struct CourierFrameReader: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0

  /// A reader at the beginning of a stream.
  public init() {}

  /// Adds what was read from the stream.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    if start > 0 {
      // Not moved within the same memory, in which the end of what was there before would stay.
      buffer = Array(buffer[start...])
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next message that is complete; `nil` if more has to come first.
  public mutating func next() throws(CourierFrameTooLong) -> ArraySlice<UInt8>? {
    guard buffer.count - start >= 4 else { return nil }
    let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= CourierFrame.maximumLength else { throw CourierFrameTooLong() }
    guard buffer.count - start - 4 >= length else { return nil }
    let message = buffer[start + 4..<start + 4 + length]
    start += 4 + length
    // What was taken is not kept, since it may hold a password.
    if start == buffer.count { (buffer, start) = ([], 0) }
    return message
  }
}
