import COpenSSL

/// One keyed HMAC (RFC 2104), started afresh for each message.
///
/// The library's context keeps a copy of its key in ordinary memory, so that it has the key only while it computes. A
/// context belongs to one isolation domain, since computing changes it.
package final class HMACContext {
  /// The hash inside the HMAC.
  package let algorithm: HashAlgorithm
  private let key: Secret
  private let context: OpaquePointer

  private static let method = FetchedMethod(EVP_MAC_fetch(nil, "HMAC", nil))
  private static let noKey: [UInt8] = [0]

  /// A context with this key, whatever its length.
  package init(_ algorithm: HashAlgorithm, key: Secret) throws(OpenSSLError) {
    let method = try Self.method.pointer("EVP_MAC_fetch")
    (self.algorithm, self.key) = (algorithm, key)
    context = try check("EVP_MAC_CTX_new", EVP_MAC_CTX_new(method))
    let parameters = Parameters()
    parameters.add("digest", text: algorithm.name)
    try parameters.withList { list throws(OpenSSLError) in
      try check("EVP_MAC_init", EVP_MAC_init(context, Self.noKey, Self.noKey.count, list))
    }
  }

  deinit { EVP_MAC_CTX_free(context) }

  /// The whole code for a message, as many bytes as the hash has.
  package func code(for message: some Collection<UInt8>) throws(OpenSSLError) -> [UInt8] {
    try message.withContiguousBytes { message throws(OpenSSLError) in try code(over: message) }
  }

  /// The whole code for a counter, RFC 4226 section 5.2: eight bytes, the most significant first.
  package func code(for counter: UInt64) throws(OpenSSLError) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: algorithm.byteCount)
    try code.withUnsafeMutableBufferPointer { code throws(OpenSSLError) in
      try write(codeFor: counter, to: code)
    }
    return code
  }

  /// Writes the whole code for a counter to the start of a room that is long enough for it.
  ///
  /// Passcodes ask for this one by the million, so it makes no array of its own.
  package func write(
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
      try check("EVP_MAC_init", EVP_MAC_init(context, key.baseAddress, key.count, nil))
    }
    // Another key takes the place of the copy, which the library wipes.
    defer { _ = EVP_MAC_init(context, Self.noKey, Self.noKey.count, nil) }
    try check("EVP_MAC_update", EVP_MAC_update(context, message.baseAddress, message.count))
    var count = 0
    try check("EVP_MAC_final", EVP_MAC_final(context, code.baseAddress, &count, code.count))
  }
}
