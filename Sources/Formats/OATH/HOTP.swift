public import OpenSSL

/// Counter-based one-time passwords (RFC 4226) of one secret.
public final class HOTP {
  private let context: HMACContext
  private let digits: Int

  /// Creates a generator; `digits` is limited to 6 to 8.
  public init(secret: Secret, algorithm: HashAlgorithm, digits: Int) {
    context = HMACContext(algorithm, key: secret)
    self.digits = min(max(digits, 6), 8)
  }

  /// Returns the passcode of a counter; the caller must use each counter only once.
  public func passcode(counter: UInt64) throws(OpenSSLError) -> String {
    // A buffer on the stack for the longest code: the 64 bytes of SHA-512.
    var code = SIMD64<UInt8>()
    var number = try withUnsafeMutableBytes(of: &code) { code throws(OpenSSLError) in
      let room = code.assumingMemoryBound(to: UInt8.self)
      try context.write(codeFor: counter, to: room)
      return Self.truncated(room, count: context.algorithm.byteCount)
    }
    return String(unsafeUninitializedCapacity: digits) { text in
      for index in (0..<digits).reversed() {
        text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
        number /= 10
      }
      return digits
    }
  }

  /// Returns 31 bits of the code, at the byte offset in its last four bits (RFC 4226 section 5.3).
  private static func truncated(_ code: UnsafeMutableBufferPointer<UInt8>, count: Int) -> UInt32 {
    let offset = Int(code[count - 1] & 0x0F)
    return (offset..<offset + 4).reduce(0) { $0 << 8 | UInt32(code[$1]) } & 0x7FFF_FFFF
  }
}
