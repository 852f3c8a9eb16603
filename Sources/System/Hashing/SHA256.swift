internal import CGnuTLS

/// SHA-256 (FIPS 180-4) by GnuTLS, for a program that holds no keys and needs no other algorithm.
public enum SHA256 {
  public static let byteCount = 32

  /// Returns the digest; `nil` if the library refuses or fails.
  public static func digest(_ bytes: [UInt8]) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: byteCount)
    let status = bytes.withUnsafeBytes {
      gnutls_hash_fast(GNUTLS_DIG_SHA256, $0.baseAddress, $0.count, &digest)
    }
    return status == GNUTLS_E_SUCCESS ? digest : nil
  }
}
