internal import Glibc

/// Cuts a stream of bytes into lines; a line past the limit is thrown away in bounded memory and reported once.
package struct LineFramer {
  /// What the stream held.
  package enum Event {
    /// A whole line without its end; empty lines are left out.
    case line([UInt8])
    /// A line was longer than allowed; what follows it is read as usual.
    case tooLong
  }

  private let maximumLength: Int
  private var pending: [UInt8] = []
  private var isDiscarding = false

  /// A framer for lines of at most so many bytes, their end not counted.
  package init(maximumLength: Int) { self.maximumLength = maximumLength }

  /// Takes bytes and calls the handler for each line that they end.
  package mutating func take(_ bytes: UnsafeRawBufferPointer, _ handle: (Event) -> Void) {
    var rest = bytes[...]
    while let end = Self.lineEnd(in: rest) {
      finish(rest[..<end], handle)
      rest = rest[(end + 1)...]
    }
    guard !isDiscarding else { return }
    // One byte more is kept for a carriage return that may end the line.
    if pending.count + rest.count > maximumLength + 1 {
      isDiscarding = true
      pending = []
      handle(.tooLong)
    } else {
      pending.append(contentsOf: rest)
    }
  }

  private static func lineEnd(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard let base = bytes.base.baseAddress,
      let end = memchr(base + bytes.startIndex, Int32(UInt8(ascii: "\n")), bytes.count)
    else { return nil }
    return UnsafeRawPointer(end) - base
  }

  private mutating func finish(_ end: Slice<UnsafeRawBufferPointer>, _ handle: (Event) -> Void) {
    guard !isDiscarding else {
      isDiscarding = false
      return
    }
    var line = pending
    pending = []
    line.append(contentsOf: end)
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard line.count <= maximumLength else { return handle(.tooLong) }
    if !line.isEmpty { handle(.line(line)) }
  }
}
