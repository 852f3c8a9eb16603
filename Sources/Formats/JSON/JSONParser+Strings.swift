extension JSONParser {
  /// Reads the string at the current position and resolves its escapes.
  mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    // Most strings have no escapes, so they are checked and copied at once.
    let isASCII = skipPlain()
    guard position < input.count else { throw malformed }
    if input[position] == UInt8(ascii: "\"") {
      let text = try text(input.span.extracting(start..<position), isASCII: isASCII)
      position += 1
      return text
    }
    return try escapedString(from: start, isASCII: isASCII)
  }

  /// Reads the rest of a string, after its first part without escapes.
  private mutating func escapedString(from start: Int, isASCII: Bool) throws(JSONError) -> String {
    var isASCII = isASCII
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * (position - start) + 32)
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: input[start..<position]))
    while position < input.count {
      switch input[position] {
      case UInt8(ascii: "\""):
        // Resolved escapes are encoded by this parser and need no check.
        let text = try text(bytes.span, isASCII: isASCII)
        position += 1
        return text
      case UInt8(ascii: "\\"):
        position += 1
        try escape(into: &bytes)
        if bytes[bytes.count - 1] > 0x7F { isASCII = false }
      case 0x20...:
        let start = position
        if !skipPlain() { isASCII = false }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: input[start..<position]))
      default: throw malformed
      }
    }
    throw malformed
  }

  /// Skips characters that need no escape; returns true if all of them are ASCII.
  private mutating func skipPlain() -> Bool {
    let bytes = UnsafeRawBufferPointer(input)
    var index = position
    var union: UInt64 = 0
    while index + 8 <= bytes.count {
      // In a little-endian word, the first byte is the lowest.
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let special = Self.specialBytes(in: word)
      guard special == 0 else {
        let plain = special.trailingZeroBitCount & ~7
        position = index &+ plain / 8
        return (union | word & (1 &<< plain &- 1)) & Self.highBits == 0
      }
      union |= word
      index &+= 8
    }
    while index < bytes.count, Self.isPlain(bytes[index]) {
      union |= UInt64(bytes[index])
      index += 1
    }
    position = index
    return union & Self.highBits == 0
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Returns a word in which the lowest set bit is the high bit of the first special byte.
  ///
  /// Higher bits have no meaning, because the subtraction for a special byte borrows from the bytes above it.
  private static func specialBytes(in word: UInt64) -> UInt64 {
    let quote = word ^ 0x2222_2222_2222_2222
    let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let control = (word &- 0x2020_2020_2020_2020) & ~word
    return (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & highBits
  }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  /// Returns received bytes as text.
  ///
  /// If `isASCII` is true, the bytes are not validated, because validation costs more than the copy.
  func text(_ bytes: Span<UInt8>, isASCII: Bool) throws(JSONError) -> String {
    if isASCII { return String(copying: unsafe UTF8Span(unchecked: bytes, isKnownASCII: true)) }
    guard let text = try? UTF8Span(validating: bytes) else { throw malformed }
    return String(copying: text)
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(JSONError) {
    guard let byte = current else { throw malformed }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"): try unicodeEscape(into: &bytes)
    default: throw malformed
    }
  }

  private mutating func unicodeEscape(into bytes: inout [UInt8]) throws(JSONError) {
    var value = try hexadecimalDigits()
    if value & 0xFC00 == 0xD800 {
      guard consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) else { throw malformed }
      let low = try hexadecimalDigits()
      guard low & 0xFC00 == 0xDC00 else { throw malformed }
      value = 0x10000 + (value & 0x3FF) << 10 + (low & 0x3FF)
    }
    // A lone low surrogate is not a scalar.
    guard let scalar = Unicode.Scalar(value) else { throw malformed }
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private mutating func hexadecimalDigits() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Self.hexadecimal(byte) else { throw malformed }
      value = value << 4 | digit
      position += 1
    }
    return value
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}
