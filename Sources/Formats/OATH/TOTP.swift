package import OpenSSL
package import Time

/// Time-based one-time passwords, RFC 6238, of one secret.
package final class TOTP {
  private let context: HMACContext
  private let digits: Int
  /// The length of a window in seconds.
  package let period: Int

  /// A generator; digits are 6 to 8, the period at least 1.
  package init(secret: Secret, algorithm: HashAlgorithm, digits: Int, period: Int) throws(OpenSSLError) {
    context = try HMACContext(algorithm, key: secret)
    (self.digits, self.period) = (min(max(digits, 6), 8), max(period, 1))
  }

  /// The number of the window that an instant lies in, RFC 6238 section 4.2.
  package func window(at instant: Timestamp) -> Int { max(0, instant.seconds) / period }

  /// The passcode of a window.
  package func passcode(window: Int) throws(OpenSSLError) -> String {
    Self.truncated(try context.code(for: UInt64(window)), digits: digits)
  }

  /// Dynamic truncation, RFC 4226 section 5.3.
  private static func truncated(_ code: [UInt8], digits: Int) -> String {
    let offset = Int((code.last ?? 0) & 0x0F)
    let number = code[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let modulus: [Int: UInt32] = [6: 1_000_000, 7: 10_000_000, 8: 100_000_000]
    let text = String(number % (modulus[digits] ?? 1_000_000))
    return String(repeating: "0", count: digits - text.count) + text
  }
}
