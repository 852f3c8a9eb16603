/// Base32 as shared secrets are written with it, RFC 4648 section 6.
public enum Base32 {
  private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
  private static let decoder = DigitDecoder(bitsPerDigit: 5, alphabet, "abcdefghijklmnopqrstuvwxyz")

  /// The bytes of a text in either case, with or without padding; `nil` if it is not Base32, or not the one way
  /// to write them.
  public static func decode(_ text: String) -> [UInt8]? {
    let (digits, padding) = withoutPadding(text.utf8)
    // Lengths that no whole number of bytes has.
    guard padding <= 6, ![1, 3, 6].contains(digits.count % 8), let decoded = decoder.decode(digits) else {
      return nil
    }
    return decoded.isExact ? decoded.bytes : nil
  }

  /// The bytes of a text as people and servers write secrets: in groups, with any padding, and with left-over bits,
  /// which PingAM's have; `nil` if it is not Base32.
  public static func decodeLeniently(_ text: String) -> [UInt8]? {
    let (digits, _) = withoutPadding(text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") })
    return decoder.decode(digits)?.bytes
  }

  /// The text of the bytes, without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    digits(of: bytes, bitsPerDigit: 5, alphabet)
  }
}

/// Base64, RFC 4648 sections 4 and 5, as exports and enrolment URIs write it: either alphabet, padded or not.
public enum Base64 {
  private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  private static let decoder = DigitDecoder(
    bitsPerDigit: 6,
    alphabet,
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  )

  /// The bytes; `nil` for other characters, left-over bits, or padding that does not fill a group of four.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let (digits, padding) = withoutPadding(Array(text.utf8))
    guard digits.count % 4 != 1, padding == 0 || (padding <= 2 && (digits.count + padding) % 4 == 0),
      let decoded = decoder.decode(digits)
    else { return nil }
    return decoded.isExact ? decoded.bytes : nil
  }

  /// The text of the bytes, in the first alphabet, padded.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = digits(of: bytes, bitsPerDigit: 6, alphabet)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }
}

/// Bytes as pairs of hexadecimal digits, in either case.
enum Hexadecimal {
  private static let decoder = DigitDecoder(bitsPerDigit: 4, "0123456789abcdef", "0123456789ABCDEF")

  /// The bytes; `nil` for other characters or half a byte.
  static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    return decoder.decode(Array(text.utf8))?.bytes
  }
}
