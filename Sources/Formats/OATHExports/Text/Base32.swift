/// Base32 as shared secrets are written with it, RFC 4648 section 6.
package enum Base32 {
  private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
  private static let decoder = DigitDecoder(bitsPerDigit: 5, alphabet, "abcdefghijklmnopqrstuvwxyz")

  /// The bytes of a text in either case, with or without padding; `nil` if it is not Base32, or not the one way
  /// to write them.
  package static func decode(_ text: String) -> [UInt8]? {
    let (digits, padding) = withoutPadding(text.utf8)
    // Lengths that no whole number of bytes has.
    guard padding <= 6, ![1, 3, 6].contains(digits.count % 8), let decoded = decoder.decode(digits) else {
      return nil
    }
    return decoded.isExact ? decoded.bytes : nil
  }

  /// The bytes of a text as people and servers write secrets: in groups, with any padding, and with left-over bits,
  /// which PingAM's have; `nil` if it is not Base32.
  package static func decodeLeniently(_ text: String) -> [UInt8]? {
    let (digits, _) = withoutPadding(text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") })
    return decoder.decode(digits)?.bytes
  }

  /// The text of the bytes, without padding.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    digits(of: bytes, bitsPerDigit: 5, alphabet)
  }
}
