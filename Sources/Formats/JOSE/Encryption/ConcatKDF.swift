import OpenSSL

/// The key of a direct key agreement, RFC 7518 section 4.6.2.
enum ConcatKDF {
  /// Derives the content's key from the agreed secret and what both sides know.
  static func key(
    from sharedSecret: Secret,
    for encryption: ContentEncryption,
    partyU: [UInt8],
    partyV: [UInt8]
  ) throws(OpenSSLError) -> Secret {
    var info: [UInt8] = []
    appendWithLength(Array(encryption.rawValue.utf8), to: &info)
    appendWithLength(partyU, to: &info)
    appendWithLength(partyV, to: &info)
    appendNumber(encryption.keyByteCount * 8, to: &info)
    return try singleStepKey(from: sharedSecret, info: info, count: encryption.keyByteCount)
  }

  private static func appendWithLength(_ bytes: [UInt8], to info: inout [UInt8]) {
    appendNumber(bytes.count, to: &info)
    info.append(contentsOf: bytes)
  }

  private static func appendNumber(_ number: Int, to info: inout [UInt8]) {
    for shift in [24, 16, 8, 0] { info.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
