internal import Glibc

/// Cuts a stream of bytes into lines, one whenever one is asked for; a line past the limit is thrown away in bounded
/// memory and reported once.
public struct LineFramer {
  /// What the stream held.
  public enum Event {
    /// A whole line without its end; empty lines are left out.
    case line([UInt8])
    /// A line was longer than allowed; what follows it is read as usual.
    case tooLong
  }

  private let maximumLength: Int
  private var buffer: [UInt8] = []
  /// Where the next line begins.
  private var start = 0
  /// How far no end of it was found.
  private var searched = 0
  private var isDiscarding = false

  /// By how much more room is made for a long line, of which many may wait.
  private static let growth = 64 * 1024

  /// A framer for lines of at most so many bytes, their end not counted.
  public init(maximumLength: Int) { self.maximumLength = maximumLength }

  /// How much memory is held for what was not asked for yet, in bytes.
  public var heldCount: Int { buffer.capacity }

  /// Whether a line has begun that has not ended.
  public var isWithinLine: Bool { start < buffer.count }

  /// Takes bytes; lines are asked for before more is taken, so that they do not pile up.
  public mutating func take(_ bytes: UnsafeRawBufferPointer) {
    if start > 0 {
      // Not moved within the same memory, in which the end of what was there before would stay.
      buffer = Array(buffer[start...])
      (start, searched) = (0, searched - start)
    }
    let needed = buffer.count + bytes.count
    if needed > buffer.capacity {
      buffer.reserveCapacity(max(needed, min(2 * buffer.count, buffer.count + Self.growth)))
    }
    buffer.append(contentsOf: bytes)
  }

  /// The next that the stream held; `nil` until more of it comes.
  public mutating func next() -> Event? {
    while let end = lineEnd() {
      var line = buffer[start..<end]
      (start, searched) = (end + 1, end + 1)
      if isDiscarding {
        isDiscarding = false
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      // Nothing of it is kept while it is carried out.
      defer { if !isWithinLine { forget() } }
      if line.count > maximumLength { return .tooLong }
      if !line.isEmpty { return .line(Array(line)) }
    }
    // One byte more is kept for a carriage return that may end the line.
    let isTooLong = !isDiscarding && buffer.count - start > maximumLength + 1
    if isTooLong || isDiscarding {
      abandon()
    } else if !isWithinLine {
      forget()
    }
    return isTooLong ? .tooLong : nil
  }

  /// Throws the line away that has begun, with all that is still to come of it.
  public mutating func abandon() {
    isDiscarding = true
    forget()
  }

  private mutating func forget() {
    // Memory that is given back keeps nothing of a line, which may hold a password.
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
