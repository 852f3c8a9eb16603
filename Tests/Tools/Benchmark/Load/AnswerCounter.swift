import Glibc

/// Counts the replies in a stream of bytes.
struct AnswerCounter {
  private let framing: Exchange.Framing
  private var header: [UInt8] = []
  private var missing = 0
  private var isAtStart = true

  /// The error for a reply that reports an error.
  struct Refused: Error, CustomStringConvertible {
    let line: String
    var description: String { "the server refused a request: \(line)" }
  }

  init(_ framing: Exchange.Framing) { self.framing = framing }

  /// Returns the number of replies that end in these bytes.
  ///
  /// Throws: ``Refused`` if a line that arrived in one part is an error.
  mutating func count(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    switch framing {
    case .lines(let beginning): try countLines(bytes, beginning)
    case .lengths: countLengths(bytes)
    }
  }

  private mutating func countLines(_ bytes: UnsafeRawBufferPointer, _ beginning: [UInt8]) throws -> Int {
    var answers = 0
    var rest = bytes[...]
    while let start = rest.baseAddressOfRest, let end = memchr(start, 0x0A, rest.count) {
      let length = UnsafeRawPointer(end) - start
      if isAtStart, length < beginning.count || memcmp(start, beginning, beginning.count) != 0 {
        throw Refused(line: String(decoding: rest.prefix(length), as: UTF8.self))
      }
      rest = rest.dropFirst(length + 1)
      isAtStart = true
      answers += 1
    }
    if !rest.isEmpty { isAtStart = false }
    return answers
  }

  private mutating func countLengths(_ bytes: UnsafeRawBufferPointer) -> Int {
    var answers = 0
    var position = 0
    while position < bytes.count {
      if missing == 0 {
        header.append(bytes[position])
        position += 1
        guard header.count == 4 else { continue }
        missing = header.reduce(0) { $0 << 8 | Int($1) }
        header = []
        if missing == 0 { answers += 1 }
      } else {
        let part = min(missing, bytes.count - position)
        position += part
        missing -= part
        if missing == 0 { answers += 1 }
      }
    }
    return answers
  }
}

extension Slice<UnsafeRawBufferPointer> {
  fileprivate var baseAddressOfRest: UnsafeRawPointer? {
    isEmpty ? nil : UnsafeRawBufferPointer(rebasing: self).baseAddress
  }
}
