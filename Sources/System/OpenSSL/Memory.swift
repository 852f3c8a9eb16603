import COpenSSL

/// Overwrites the bytes in a way that the compiler cannot leave out, and empties the array.
///
/// The array must be the only holder of its bytes: what shares them with another value is copied before it is wiped.
package func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  bytes = []
}

/// Whether both are the same bytes, in a time that depends on their lengths only.
package func constantTimeEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
  one.withContiguousBytes { one in
    other.withContiguousBytes { other in
      guard one.count == other.count else { return false }
      return one.isEmpty || CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
    }
  }
}
