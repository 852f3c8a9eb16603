import COpenSSL

/// A key that signs or takes part in a key agreement: P-256 for the device, RSA for a server.
package final class PrivateKey: Sendable {
  package let publicKey: PublicKey
  let handle: KeyHandle

  /// Takes over a pair whose kind is one that we use, and whose halves belong together.
  init(_ handle: KeyHandle) throws(OpenSSLError) {
    self.handle = handle
    publicKey = try Self.publicKey(of: handle)
  }

  /// A fresh P-256 key.
  package static func generateP256() throws(OpenSSLError) -> PrivateKey {
    try PrivateKey(
      generating("EC") { context throws(OpenSSLError) in
        let status = EVP_PKEY_CTX_set_group_name(context, "\(Curve.p256.name)")
        try check("EVP_PKEY_CTX_set_group_name", status)
      }
    )
  }

  /// A fresh RSA key with the exponent 65537.
  package static func generateRSA(bits: Int) throws(OpenSSLError) -> PrivateKey {
    guard RSAStrength.modulusBits.contains(bits) else {
      throw OpenSSLError("PrivateKey", refusing: "the modulus has a wrong size")
    }
    return try PrivateKey(
      generating("RSA") { context throws(OpenSSLError) in
        let status = EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits))
        try check("EVP_PKEY_CTX_set_rsa_keygen_bits", status)
      }
    )
  }

  private static func generating(
    _ type: StaticString,
    _ configure: (OpaquePointer) throws(OpenSSLError) -> Void
  ) throws(OpenSSLError) -> KeyHandle {
    try KeyHandle.withContext(type) { context throws(OpenSSLError) in
      try check("EVP_PKEY_keygen_init", EVP_PKEY_keygen_init(context))
      try configure(context)
      var key: OpaquePointer?
      try check("EVP_PKEY_generate", EVP_PKEY_generate(context, &key))
      return KeyHandle(owning: try check("EVP_PKEY_generate", key))
    }
  }

  private static func publicKey(of handle: KeyHandle) throws(OpenSSLError) -> PublicKey {
    if EVP_PKEY_is_a(handle.raw, "RSA") == 1 {
      return try PublicKey(rsaModulus: handle.number("n"), exponent: handle.number("e"))
    }
    guard EVP_PKEY_is_a(handle.raw, "EC") == 1, try handle.groupName() == "\(Curve.p256.name)" else {
      throw OpenSSLError("PrivateKey", refusing: "the key is neither RSA nor P-256")
    }
    return try PublicKey(p256Pair: handle)
  }
}

extension KeyHandle {
  /// The library's name of an EC key's curve.
  fileprivate func groupName() throws(OpenSSLError) -> String {
    var name = [UInt8](repeating: 0, count: 64)
    var count = 0
    let status = name.withUnsafeMutableBytes { name in
      EVP_PKEY_get_group_name(raw, name.baseAddress?.assumingMemoryBound(to: CChar.self), name.count, &count)
    }
    try check("EVP_PKEY_get_group_name", status)
    return String(decoding: name.prefix(count), as: UTF8.self)
  }
}
