/// The framing of messages in a stream: four bytes with the length, most significant first, then the message.
public enum CourierFrame {
  /// Maximum length of a message in bytes.
  public static let maximumLength = 1 << 20

  /// Returns a message prefixed with its length; `nil` if it is too long.
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

/// The peer announced a message above the maximum length; the stream cannot be read any further.
public struct CourierFrameTooLong: Error {}

/// Reads messages from a stream that arrives in arbitrary parts.
public struct CourierFrameReader: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0

  /// Creates a reader at the start of a stream.
  public init() {}

  /// Appends bytes read from the stream.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    if start > 0 {
      // Copy the rest to a new array: a move within the old one would leave old bytes in its unused capacity.
      buffer = Array(buffer[start...])
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next message; `nil` until all its bytes have arrived.
  public mutating func next() throws(CourierFrameTooLong) -> ArraySlice<UInt8>? {
    guard buffer.count - start >= 4 else { return nil }
    let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= CourierFrame.maximumLength else { throw CourierFrameTooLong() }
    guard buffer.count - start - 4 >= length else { return nil }
    let message = buffer[start + 4..<start + 4 + length]
    start += 4 + length
    // Consumed bytes are dropped, because they may contain a password.
    if start == buffer.count { (buffer, start) = ([], 0) }
    return message
  }
}
