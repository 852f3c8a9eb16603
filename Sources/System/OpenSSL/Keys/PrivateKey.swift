internal import COpenSSL

/// A key that signs or takes part in a key agreement: P-256 for devices, RSA for servers.
public final class PrivateKey: Sendable {
  public let publicKey: PublicKey
  let handle: KeyHandle

  /// Takes ownership of a consistent P-256 or RSA key pair.
  init(_ handle: KeyHandle) throws(OpenSSLError) {
    self.handle = handle
    publicKey = try Self.publicKey(of: handle)
  }

  /// Generates a P-256 key.
  public static func generateP256() throws(OpenSSLError) -> PrivateKey {
    try PrivateKey(
      generating("EC") { context throws(OpenSSLError) in
        let status = EVP_PKEY_CTX_set_group_name(context, "\(Curve.p256.name)")
        try check("EVP_PKEY_CTX_set_group_name", status)
      }
    )
  }

  /// Generates an RSA key with the exponent 65537.
  public static func generateRSA(bits: Int) throws(OpenSSLError) -> PrivateKey {
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
  /// Returns the library's name of the curve of an EC key.
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

extension PrivateKey {
  /// Creates the P-256 key of a private scalar: 32 bytes, most significant first, from 1 to the order minus
  /// 1.
  public convenience init(p256Scalar: Secret) throws(OpenSSLError) {
    guard p256Scalar.count == Curve.p256.byteCount else {
      throw OpenSSLError("PrivateKey", refusing: "the scalar has a wrong length")
    }
    let parameters = Parameters()
    parameters.add("group", text: Curve.p256.name)
    p256Scalar.withBuffer { parameters.add("priv", number: $0) }
    parameters.add("pub", bytes: try publicPoint(of: p256Scalar))
    let handle = try KeyHandle("EC", selection: copenssl_key_pair(), parameters: parameters)
    try handle.checkPair()
    try self.init(handle)
  }

  /// The private scalar of a P-256 key: 32 bytes, most significant first; throws an error for an RSA key.
  public var scalar: Secret {
    get throws(OpenSSLError) {
      guard case .ec(let curve, _, _) = publicKey.components else {
        throw OpenSSLError("PrivateKey", refusing: "an RSA key has no scalar")
      }
      return try handle.secretNumber("priv", byteCount: curve.byteCount)
    }
  }

  /// Returns the x coordinate of the shared point of two P-256 keys (ECDH, NIST SP 800-56A section 5.7.1.2).
  public func sharedSecret(with peer: PublicKey) throws(OpenSSLError) -> Secret {
    guard case .ec(.p256, _, _) = publicKey.components, case .ec(.p256, _, _) = peer.components else {
      throw OpenSSLError("PrivateKey", refusing: "both keys of an agreement must be P-256")
    }
    return try handle.withContext { context throws(OpenSSLError) in
      try check("EVP_PKEY_derive_init", EVP_PKEY_derive_init(context))
      // The peer's point was checked when its key was created.
      let status = EVP_PKEY_derive_set_peer_ex(context, try peer.handle().raw, 0)
      try check("EVP_PKEY_derive_set_peer_ex", status)
      return try Secret(count: Curve.p256.byteCount) { output throws(OpenSSLError) in
        var count = output.count
        let bytes = output.baseAddress
        try check("EVP_PKEY_derive", EVP_PKEY_derive(context, bytes, &count))
        guard count == output.count else {
          throw OpenSSLError("EVP_PKEY_derive", refusing: "the shared secret has the wrong length")
        }
      }
    }
  }
}

/// Returns the public point of a scalar, because the library does not compute the point when it creates a key
/// from numbers.
private func publicPoint(of scalar: Secret) throws(OpenSSLError) -> Secret {
  let group = try check("EC_GROUP_new_by_curve_name", EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
  defer { EC_GROUP_free(group) }
  let number = try check("BN_secure_new", BN_secure_new())
  defer { BN_clear_free(number) }
  // Requests a multiplication with a run time that does not depend on the scalar.
  BN_set_flags(number, BN_FLG_CONSTTIME)
  try scalar.withBuffer { bytes throws(OpenSSLError) in
    _ = try check("BN_bin2bn", BN_bin2bn(bytes.baseAddress, Int32(bytes.count), number))
  }
  guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
    throw OpenSSLError("PrivateKey", refusing: "the scalar is out of range")
  }
  let point = try check("EC_POINT_new", EC_POINT_new(group))
  defer { EC_POINT_free(point) }
  try check("EC_POINT_mul", EC_POINT_mul(group, point, number, nil, nil, nil))
  return try Secret(count: 1 + 2 * Curve.p256.byteCount) { output throws(OpenSSLError) in
    let bytes = output.baseAddress
    let form = POINT_CONVERSION_UNCOMPRESSED
    guard EC_POINT_point2oct(group, point, form, bytes, output.count, nil) == output.count else {
      throw OpenSSLError("EC_POINT_point2oct")
    }
  }
}

extension KeyHandle {
  /// Throws an error if the private and public key do not match.
  func checkPair() throws(OpenSSLError) {
    try withContext { context throws(OpenSSLError) in
      try check("EVP_PKEY_pairwise_check", EVP_PKEY_pairwise_check(context))
    }
  }
}

extension PrivateKey {
  /// Reads an unencrypted PKCS #8 structure in DER (RFC 5958) with a P-256 or RSA key.
  ///
  /// Trailing data is an error.
  public convenience init(pkcs8: Secret) throws(OpenSSLError) {
    let raw = try pkcs8.withBuffer { bytes throws(OpenSSLError) in
      var position = bytes.baseAddress
      let parsed = d2i_PKCS8_PRIV_KEY_INFO(nil, &position, bytes.count)
      let structure = try check("d2i_PKCS8_PRIV_KEY_INFO", parsed)
      defer { PKCS8_PRIV_KEY_INFO_free(structure) }
      guard position == bytes.baseAddress.map({ $0 + bytes.count }) else {
        throw OpenSSLError("d2i_PKCS8_PRIV_KEY_INFO", refusing: "something follows the key")
      }
      return try check("EVP_PKCS82PKEY", EVP_PKCS82PKEY(structure))
    }
    let handle = KeyHandle(owning: raw)
    try handle.checkPair()
    try self.init(handle)
  }

  /// Returns the key as an unencrypted PKCS #8 structure in DER (RFC 5958).
  public func pkcs8() throws(OpenSSLError) -> Secret {
    let structure = try check("EVP_PKEY2PKCS8", EVP_PKEY2PKCS8(handle.raw))
    defer { PKCS8_PRIV_KEY_INFO_free(structure) }
    let count = i2d_PKCS8_PRIV_KEY_INFO(structure, nil)
    guard count > 0 else { throw OpenSSLError("i2d_PKCS8_PRIV_KEY_INFO") }
    return try Secret(count: Int(count)) { output throws(OpenSSLError) in
      var position = output.baseAddress
      guard i2d_PKCS8_PRIV_KEY_INFO(structure, &position) == count else {
        throw OpenSSLError("i2d_PKCS8_PRIV_KEY_INFO")
      }
    }
  }
}

extension PrivateKey {
  /// Signs the message; an EC signature consists of two fixed-length numbers, RFC 7518 section 3.4.
  public func sign(
    _ message: some Collection<UInt8>,
    scheme: SignatureScheme
  ) throws(OpenSSLError) -> [UInt8] {
    guard scheme.fits(publicKey.components) else {
      throw OpenSSLError("PrivateKey", refusing: "the key cannot sign so")
    }
    let made = try librarySignature(of: message, scheme: scheme)
    switch publicKey.components {
    case .rsa, .ed25519: return made
    case .ec(let curve, _, _): return try ECDSASignature.raw(fromDER: made, curve: curve)
    }
  }

  private func librarySignature(
    of message: some Collection<UInt8>,
    scheme: SignatureScheme
  ) throws(OpenSSLError) -> [UInt8] {
    let context = try check("EVP_MD_CTX_new", EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    let hash = scheme.chosenHash.map { "\($0.name)" }
    let status = EVP_DigestSignInit_ex(context, &keyContext, hash, nil, nil, handle.raw, nil)
    try check("EVP_DigestSignInit_ex", status)
    try scheme.configure(keyContext)
    var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(handle.raw)))
    var count = signature.count
    try message.withContiguousBytes { message throws(OpenSSLError) in
      let status = EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count)
      try check("EVP_DigestSign", status)
    }
    return Array(signature.prefix(count))
  }
}
