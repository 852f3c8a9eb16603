/// Base64, RFC 4648 sections 4 and 5, as exports and enrolment URIs write it: either alphabet, padded or not.
package enum Base64 {
  private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  private static let decoder = DigitDecoder(
    bitsPerDigit: 6,
    alphabet,
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  )

  /// The bytes; `nil` for other characters, left-over bits, or padding that does not fill a group of four.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let (digits, padding) = withoutPadding(Array(text.utf8))
    guard digits.count % 4 != 1, padding == 0 || (padding <= 2 && (digits.count + padding) % 4 == 0),
      let decoded = decoder.decode(digits)
    else { return nil }
    return decoded.isExact ? decoded.bytes : nil
  }

  /// The text of the bytes, in the first alphabet, padded.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = digits(of: bytes, bitsPerDigit: 6, alphabet)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }
}
