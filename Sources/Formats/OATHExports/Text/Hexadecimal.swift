/// Bytes as pairs of hexadecimal digits, in either case.
enum Hexadecimal {
  private static let decoder = DigitDecoder(bitsPerDigit: 4, "0123456789abcdef", "0123456789ABCDEF")

  /// The bytes; `nil` for other characters or half a byte.
  static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    return decoder.decode(Array(text.utf8))?.bytes
  }
}
