import COpenSSL

/// Computes HMAC codes (RFC 2104) with one key; the messages are independent of each other.
public struct HMACContext: Sendable {
  /// The hash of the HMAC.
  public let algorithm: HashAlgorithm
  private let key: Secret

  /// Creates a context with a key of any length.
  public init(_ algorithm: HashAlgorithm, key: Secret) {
    (self.algorithm, self.key) = (algorithm, key)
  }

  /// Returns the code for a message; the code is as long as the hash.
  public func code(for message: some Collection<UInt8>) throws(OpenSSLError) -> [UInt8] {
    try message.withContiguousBytes { message throws(OpenSSLError) in try code(over: message) }
  }

  /// Returns the code for a counter in eight bytes, most significant first (RFC 4226 section 5.2).
  public func code(for counter: UInt64) throws(OpenSSLError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: algorithm.byteCount)
    try code.withUnsafeMutableBufferPointer { code throws(OpenSSLError) in
      try write(codeFor: counter, to: code)
    }
    return code
  }

  /// Writes the code for a counter to a buffer that is at least as long as the hash.
  ///
  /// The function allocates no array, because passcodes need millions of these codes.
  public func write(
    codeFor counter: UInt64,
    to code: UnsafeMutableBufferPointer<UInt8>
  ) throws(OpenSSLError) {
    try withUnsafeBytes(of: counter.bigEndian) { bytes throws(OpenSSLError) in
      try compute(over: bytes.assumingMemoryBound(to: UInt8.self), into: code)
    }
  }

  private func code(over message: UnsafeBufferPointer<UInt8>) throws(OpenSSLError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: algorithm.byteCount)
    try code.withUnsafeMutableBufferPointer { code throws(OpenSSLError) in
      try compute(over: message, into: code)
    }
    return code
  }

  private func compute(
    over message: UnsafeBufferPointer<UInt8>,
    into code: UnsafeMutableBufferPointer<UInt8>
  ) throws(OpenSSLError) {
    try key.withBuffer { key throws(OpenSSLError) in
      try SharedHMAC.of(algorithm).compute(key: key, over: message, into: code)
    }
  }
}
