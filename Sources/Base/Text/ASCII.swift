extension UInt8 {
  /// Whether it is one of the ten digits in ASCII, and in UTF-8 nothing else.
  package var isASCIIDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }

  /// Whether it is one of the 26 letters in ASCII, of either case, and in UTF-8 nothing else.
  package var isASCIILetter: Bool {
    let small = self | 0x20
    return UInt8(ascii: "a") <= small && small <= UInt8(ascii: "z")
  }

  package var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }
}
