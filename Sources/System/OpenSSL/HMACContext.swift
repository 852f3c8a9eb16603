import COpenSSL

/// One keyed HMAC (RFC 2104), started afresh for each message.
public struct HMACContext: Sendable {
  /// The hash inside the HMAC.
  public let algorithm: HashAlgorithm
  private let key: Secret

  /// A context with this key, whatever its length.
  public init(_ algorithm: HashAlgorithm, key: Secret) {
    (self.algorithm, self.key) = (algorithm, key)
  }

  /// The whole code for a message, as many bytes as the hash has.
  public func code(for message: some Collection<UInt8>) throws(OpenSSLError) -> [UInt8] {
    try message.withContiguousBytes { message throws(OpenSSLError) in try code(over: message) }
  }

  /// The whole code for a counter, RFC 4226 section 5.2: eight bytes, the most significant first.
  public func code(for counter: UInt64) throws(OpenSSLError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: algorithm.byteCount)
    try code.withUnsafeMutableBufferPointer { code throws(OpenSSLError) in
      try write(codeFor: counter, to: code)
    }
    return code
  }

  /// Writes the whole code for a counter to the start of a room that is long enough for it.
  ///
  /// Passcodes ask for this one by the million, so it makes no array of its own.
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
      try HMACMachine.of(algorithm).compute(key: key, over: message, into: code)
    }
  }
}
