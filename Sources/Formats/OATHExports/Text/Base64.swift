/// Base64, RFC 4648 sections 4 and 5, as exports and enrolment URIs write it: either alphabet, padded or not.
package enum Base64 {
  private static let decoder = DigitDecoder(
    bitsPerDigit: 6,
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
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
}
