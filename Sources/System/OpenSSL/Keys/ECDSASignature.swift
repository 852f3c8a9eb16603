import COpenSSL

/// Converts ECDSA signatures between fixed-length numbers (RFC 7518 section 3.4) and the library's DER.
enum ECDSASignature {
  /// Returns the DER form; `nil` if the length is wrong for the curve.
  static func der(fromRaw raw: some Collection<UInt8>, curve: Curve) -> [UInt8]? {
    let raw = Array(raw)
    let half = curve.byteCount
    guard raw.count == 2 * half else { return nil }
    guard let signature = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(signature) }
    let halves = raw.withUnsafeBufferPointer { raw in
      (
        BN_bin2bn(raw.baseAddress, Int32(half), nil),
        BN_bin2bn(raw.baseAddress.map { $0 + half }, Int32(half), nil)
      )
    }
    // On success the signature owns both numbers.
    guard ECDSA_SIG_set0(signature, halves.0, halves.1) == 1 else {
      BN_free(halves.0)
      BN_free(halves.1)
      return nil
    }
    var der: UnsafeMutablePointer<UInt8>?
    let count = i2d_ECDSA_SIG(signature, &der)
    defer { CRYPTO_free(der, nil, 0) }
    guard count > 0 else { return nil }
    return Array(UnsafeBufferPointer(start: der, count: Int(count)))
  }

  /// Returns the fixed-length form of a signature that the library made.
  static func raw(fromDER der: [UInt8], curve: Curve) throws(OpenSSLError) -> [UInt8] {
    let half = curve.byteCount
    let parsed = der.withUnsafeBufferPointer { der in
      var position = der.baseAddress
      return d2i_ECDSA_SIG(nil, &position, der.count)
    }
    let signature = try check("d2i_ECDSA_SIG", parsed)
    defer { ECDSA_SIG_free(signature) }
    var raw = [UInt8](repeating: 0, count: 2 * half)
    try raw.withUnsafeMutableBufferPointer { raw throws(OpenSSLError) in
      let lengths = (
        BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw.baseAddress, Int32(half)),
        BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw.baseAddress.map { $0 + half }, Int32(half))
      )
      guard lengths == (Int32(half), Int32(half)) else { throw OpenSSLError("BN_bn2binpad") }
    }
    return raw
  }
}
