internal import Glibc

/// Splits a byte stream into lines, which the caller takes one by one.
///
/// A line above the maximum length is reported once and discarded with bounded memory.
public struct LineFramer {
  /// The next item of the stream.
  public enum Event {
    /// A complete line without its terminator. Empty lines are skipped.
    case line([UInt8])
    /// A line above the maximum length. The lines after it are read as usual.
    case tooLong
  }

  private let maximumLength: Int
  private var buffer: [UInt8] = []
  /// Start of the next line.
  private var start = 0
  /// End of the range that has been searched for a line end.
  private var searched = 0
  private var isDiscarding = false

  /// Maximum growth of the buffer per step, because many long lines may be pending at the same time.
  private static let growth = 64 * 1024

  /// Creates a framer; `maximumLength` is in bytes, without the terminator.
  public init(maximumLength: Int) { self.maximumLength = maximumLength }

  /// Size of the allocated buffer in bytes.
  public var heldCount: Int { buffer.capacity }

  /// True if an incomplete line is in the buffer.
  public var isWithinLine: Bool { start < buffer.count }

  /// Appends received bytes.
  ///
  /// The caller must take all lines before it appends more, so that they do not accumulate.
  public mutating func take(_ bytes: UnsafeRawBufferPointer) {
    if start > 0 {
      // Copy the rest to a new array: a move within the old one would leave old bytes in its unused capacity.
      buffer = Array(buffer[start...])
      (start, searched) = (0, searched - start)
    }
    let needed = buffer.count + bytes.count
    if needed > buffer.capacity {
      buffer.reserveCapacity(max(needed, min(2 * buffer.count, buffer.count + Self.growth)))
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next item; `nil` if more bytes are needed.
  public mutating func next() -> Event? {
    while let end = lineEnd() {
      var line = buffer[start..<end]
      (start, searched) = (end + 1, end + 1)
      if isDiscarding {
        isDiscarding = false
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      // The buffer is released, so that it does not contain the line while its request is processed.
      defer { if !isWithinLine { forget() } }
      if line.count > maximumLength { return .tooLong }
      if !line.isEmpty { return .line(Array(line)) }
    }
    // One extra byte is kept for a carriage return before the line end.
    let isTooLong = !isDiscarding && buffer.count - start > maximumLength + 1
    if isTooLong || isDiscarding {
      abandon()
    } else if !isWithinLine {
      forget()
    }
    return isTooLong ? .tooLong : nil
  }

  /// Discards the current line, including the part that has not arrived.
  public mutating func abandon() {
    isDiscarding = true
    forget()
  }

  private mutating func forget() {
    // Releases the buffer, because a line may contain a password.
    buffer = []
    (start, searched) = (0, 0)
  }

  private mutating func lineEnd() -> Int? {
    let end = buffer.withUnsafeBytes { bytes -> Int? in
      guard let base = bytes.baseAddress, searched < bytes.count,
        let end = memchr(base + searched, Int32(UInt8(ascii: "\n")), bytes.count - searched)
      else { return nil }
      return UnsafeRawPointer(end) - base
    }
    if end == nil { searched = buffer.count }
    return end
  }
}
