/// Base32 for shared secrets, RFC 4648 section 6.
public enum Base32 {
  private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
  private static let decoder = DigitDecoder(bitsPerDigit: 5, alphabet, "abcdefghijklmnopqrstuvwxyz")

  /// Decodes a text in either case, with or without padding; `nil` if it is not Base32 in its canonical form.
  public static func decode(_ text: String) -> [UInt8]? {
    let (digits, padding) = withoutPadding(text.utf8)
    // These lengths do not correspond to a whole number of bytes.
    guard padding <= 6, ![1, 3, 6].contains(digits.count % 8), let decoded = decoder.decode(digits) else {
      return nil
    }
    return decoded.isExact ? decoded.bytes : nil
  }

  /// Decodes a secret as users and servers write it: in groups, with any padding, and with surplus bits (as
  /// in texts of PingAM); `nil` if it is not Base32.
  public static func decodeLeniently(_ text: String) -> [UInt8]? {
    decoder.decode(withoutPadding(withoutSeparators(text).utf8).digits)?.bytes
  }

  /// Returns a secret without hyphens, white space and invisible characters, which copied text may contain.
  static func withoutSeparators(_ text: String) -> String {
    var kept = String.UnicodeScalarView()
    // The capacity is reserved in advance, because a growing array would leave copies of a secret in memory.
    kept.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars where scalar != "-" && !scalar.properties.isWhitespace {
      if scalar.properties.generalCategory != .format { kept.append(scalar) }
    }
    return String(kept)
  }

  /// Encodes the bytes without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    digits(of: bytes, bitsPerDigit: 5, alphabet)
  }
}

/// Base64 (RFC 4648 sections 4 and 5) as in exports and enrolment URIs: either alphabet, with or without
/// padding.
public enum Base64 {
  private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  private static let decoder = DigitDecoder(
    bitsPerDigit: 6,
    alphabet,
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  )

  /// Decodes a text; `nil` for other characters, surplus bits, or wrong padding.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let (digits, padding) = withoutPadding(Array(text.utf8))
    guard digits.count % 4 != 1, padding == 0 || (padding <= 2 && (digits.count + padding) % 4 == 0),
      let decoded = decoder.decode(digits)
    else { return nil }
    return decoded.isExact ? decoded.bytes : nil
  }

  /// Encodes the bytes in the standard alphabet with padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = digits(of: bytes, bitsPerDigit: 6, alphabet)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }
}

/// Bytes as pairs of hexadecimal digits of either case.
enum Hexadecimal {
  private static let decoder = DigitDecoder(bitsPerDigit: 4, "0123456789abcdef", "0123456789ABCDEF")

  /// Decodes a text; `nil` for other characters or an odd length.
  static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    return decoder.decode(Array(text.utf8))?.bytes
  }
}
