package import OpenSSL

/// Counter-based one-time passwords, RFC 4226, of one secret.
package final class HOTP {
  private let context: HMACContext
  private let digits: Int

  /// A generator; digits are 6 to 8.
  package init(secret: Secret, algorithm: HashAlgorithm, digits: Int) throws(OpenSSLError) {
    context = try HMACContext(algorithm, key: secret)
    self.digits = min(max(digits, 6), 8)
  }

  /// The passcode of a counter; that it is used once is the caller's part.
  package func passcode(counter: UInt64) throws(OpenSSLError) -> String {
    var number = try context.withCode(for: counter, Self.truncated)
    return String(unsafeUninitializedCapacity: digits) { text in
      for index in (0..<digits).reversed() {
        text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
        number /= 10
      }
      return digits
    }
  }

  /// Dynamic truncation, RFC 4226 section 5.3: 31 bits from where the last four say.
  private static func truncated(_ code: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let offset = Int(code[code.count - 1] & 0x0F)
    return code[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
  }
}
