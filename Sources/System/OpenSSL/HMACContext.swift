import COpenSSL

/// One keyed HMAC (RFC 2104), started afresh for each message.
///
/// The key is prepared once: with it in place a short message costs a fifth of a one-shot call. A context belongs to
/// one isolation domain, since computing changes it.
package final class HMACContext {
  /// The hash inside the HMAC.
  package let algorithm: HashAlgorithm
  private let context: OpaquePointer

  private static let method = FetchedMethod(EVP_MAC_fetch(nil, "HMAC", nil))

  /// A context with this key, whatever its length.
  package init(_ algorithm: HashAlgorithm, key: Secret) throws(OpenSSLError) {
    let method = try Self.method.pointer("EVP_MAC_fetch")
    self.algorithm = algorithm
    context = try check("EVP_MAC_CTX_new", EVP_MAC_CTX_new(method))
    let parameters = Parameters()
    parameters.add("digest", text: algorithm.name)
    try key.withBuffer { key throws(OpenSSLError) in
      try parameters.withList { list throws(OpenSSLError) in
        try check("EVP_MAC_init", EVP_MAC_init(context, key.baseAddress, key.count, list))
      }
    }
  }

  deinit { EVP_MAC_CTX_free(context) }

  /// The whole code for a message, as many bytes as the hash has.
  package func code(for message: some Collection<UInt8>) throws(OpenSSLError) -> [UInt8] {
    try message.withContiguousBytes { message throws(OpenSSLError) in try code(over: message) }
  }

  /// The whole code for a counter, RFC 4226 section 5.2: eight bytes, the most significant first.
  package func code(for counter: UInt64) throws(OpenSSLError) -> [UInt8] {
    try withCode(for: counter) { code in Array(code) }
  }

  /// Lends the whole code for a counter for the time of the call: passcodes ask for it by the million, so it makes
  /// no array.
  package func withCode<Value>(
    for counter: UInt64,
    _ body: (UnsafeBufferPointer<UInt8>) -> Value
  ) throws(OpenSSLError) -> Value {
    try withUnsafePointer(to: counter.bigEndian) { counter throws(OpenSSLError) in
      try counter.withMemoryRebound(to: UInt8.self, capacity: 8) { bytes throws(OpenSSLError) in
        // As long as the longest code, of SHA-512.
        var room = SIMD64<UInt8>()
        return try withUnsafeMutableBytes(of: &room) { room throws(OpenSSLError) in
          let code = UnsafeMutableBufferPointer(
            rebasing: room.assumingMemoryBound(to: UInt8.self)[..<algorithm.byteCount]
          )
          try compute(over: UnsafeBufferPointer(start: bytes, count: 8), into: code)
          return body(UnsafeBufferPointer(code))
        }
      }
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
    try check("EVP_MAC_init", EVP_MAC_init(context, nil, 0, nil))
    try check("EVP_MAC_update", EVP_MAC_update(context, message.baseAddress, message.count))
    var count = 0
    try check("EVP_MAC_final", EVP_MAC_final(context, code.baseAddress, &count, code.count))
  }
}
