internal import COpenSSL
internal import Synchronization

/// A public key for verifying signatures or for key agreement; external keys are checked at creation.
public final class PublicKey: Sendable {
  /// The numbers of a key.
  public enum Components: Sendable, Equatable {
    /// Modulus and exponent without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// A point with both coordinates in the full length of the curve.
    case ec(Curve, x: [UInt8], y: [UInt8])
    /// A point in the encoding of RFC 8032 section 5.1.2.
    case ed25519([UInt8])
  }

  public let components: Components
  /// The library's key.
  ///
  /// For the public half of a local key pair it is created at first use, because usually only the numbers are
  /// needed.
  private let made: Mutex<KeyHandle?>
  /// The context for the last used scheme, kept because the next signature usually has the same scheme.
  private let prepared = Mutex<SignatureCheck?>(nil)

  /// Creates an RSA key of 2048 to 8192 bits; throws an error for a weak key.
  public init(
    rsaModulus: some Collection<UInt8>,
    exponent: some Collection<UInt8>
  ) throws(OpenSSLError) {
    let modulus = Array(rsaModulus.drop { $0 == 0 })
    let exponent = Array(exponent.drop { $0 == 0 })
    try RSAStrength.check(modulus: modulus, exponent: exponent)
    components = .rsa(modulus: modulus, exponent: exponent)
    made = Mutex(try KeyHandle(components))
  }

  /// Creates an EC key from full-length coordinates; throws an error if the point is not on the curve.
  public init(
    curve: Curve,
    x: some Collection<UInt8>,
    y: some Collection<UInt8>
  ) throws(OpenSSLError) {
    guard x.count == curve.byteCount, y.count == curve.byteCount else {
      throw OpenSSLError("PublicKey", refusing: "a coordinate has a wrong length")
    }
    components = .ec(curve, x: Array(x), y: Array(y))
    let handle = try KeyHandle(components)
    try handle.withContext { context throws(OpenSSLError) in
      // The curves have cofactor 1, so the quick check is equivalent to the full one.
      try check("EVP_PKEY_public_check_quick", EVP_PKEY_public_check_quick(context))
    }
    made = Mutex(handle)
  }

  /// Creates the public key of a consistent P-256 key pair.
  init(p256Pair pair: KeyHandle) throws(OpenSSLError) {
    let length = Curve.p256.byteCount
    let x = try pair.number("qx", byteCount: length)
    let y = try pair.number("qy", byteCount: length)
    components = .ec(.p256, x: x, y: y)
    made = Mutex(nil)
  }

  /// Creates an Ed25519 key, for verification only.
  public init(ed25519 point: some Collection<UInt8>) throws(OpenSSLError) {
    let bytes = Array(point)
    try Ed25519Strength.check(bytes)
    components = .ed25519(bytes)
    made = Mutex(try KeyHandle(components))
  }

  /// Returns the library's public key.
  func handle() throws(OpenSSLError) -> KeyHandle {
    try made.withLock { made throws(OpenSSLError) in
      if let made { return made }
      let handle = try KeyHandle(components)
      made = handle
      return handle
    }
  }

  /// True if the signature of the message is valid; false for another kind of key or a malformed signature.
  public func verifies(
    _ signature: some Collection<UInt8>,
    of message: some Collection<UInt8>,
    scheme: SignatureScheme
  ) throws(OpenSSLError) -> Bool {
    guard scheme.fits(components), let signature = librarySignature(signature) else { return false }
    guard let hash = scheme.chosenHash else { return try verifiesWhole(signature, of: message) }
    let hashed = try digest(message, hash)
    return try prepared.withLock { prepared throws(OpenSSLError) in
      if let prepared, prepared.scheme == scheme { return prepared.accepts(signature, of: hashed) }
      let check = try SignatureCheck(handle(), scheme)
      prepared = check
      return check.accepts(signature, of: hashed)
    }
  }

  /// Verifies with a scheme that hashes the message itself.
  private func verifiesWhole(
    _ signature: [UInt8],
    of message: some Collection<UInt8>
  ) throws(OpenSSLError) -> Bool {
    let context = try check("EVP_MD_CTX_new", EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    let status = EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, try handle().raw, nil)
    try check("EVP_DigestVerifyInit_ex", status)
    return message.withContiguousBytes { message in
      let status = EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count)
      // An invalid signature leaves entries in the error queue, which a later call must not report.
      ERR_clear_error()
      return status == 1
    }
  }

  private func librarySignature(_ signature: some Collection<UInt8>) -> [UInt8]? {
    switch components {
    case .rsa, .ed25519: Array(signature)
    case .ec(let curve, _, _): ECDSASignature.der(fromRaw: signature, curve: curve)
    }
  }
}

extension PublicKey {
  /// Creates a P-256 key from an uncompressed point (SEC 1 section 2.3.4); throws an error for other forms.
  public convenience init(p256Point: some Collection<UInt8>) throws(OpenSSLError) {
    let point = Array(p256Point)
    let length = Curve.p256.byteCount
    guard point.count == 1 + 2 * length, point[0] == uncompressedPoint else {
      throw OpenSSLError("PublicKey", refusing: "the point is not uncompressed")
    }
    try self.init(curve: .p256, x: point[1...length], y: point[(1 + length)...])
  }

  /// The uncompressed point of an EC key (SEC 1 section 2.3.3); `nil` for other keys.
  public var point: [UInt8]? {
    guard case .ec(_, let x, let y) = components else { return nil }
    return [uncompressedPoint] + x + y
  }
}

/// The first byte of an uncompressed point, SEC 1 section 2.3.3.
let uncompressedPoint: UInt8 = 4
