internal import COpenSSL
internal import Synchronization

/// A key that verifies signatures or receives a key agreement, checked when it is made.
public final class PublicKey: Sendable {
  /// The numbers that make up a key.
  public enum Components: Sendable, Equatable {
    /// Modulus and exponent without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// A point with both coordinates at the full length of the curve.
    case ec(Curve, x: [UInt8], y: [UInt8])
    /// A point of Ed25519 as RFC 8032 section 5.1.2 writes it.
    case ed25519([UInt8])
  }

  /// The numbers of the key.
  public let components: Components
  /// Made at its first use for a key whose other half is ours, of which mostly the numbers are wanted.
  private let made: Mutex<KeyHandle?>
  /// Ready for the scheme of the signature before, which is mostly that of the next.
  private let prepared = Mutex<SignatureCheck?>(nil)

  /// An RSA key of 2048 to 8192 bits with a usual exponent; anything weaker is refused.
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

  /// An EC key from coordinates at full length; a point that is not on the curve is refused.
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
      // The curves have no small subgroups, so the quick check says all that the full one would.
      try check("EVP_PKEY_public_check_quick", EVP_PKEY_public_check_quick(context))
    }
    made = Mutex(handle)
  }

  /// The half of a P-256 key of ours, whose halves belong together.
  init(p256Pair pair: KeyHandle) throws(OpenSSLError) {
    let length = Curve.p256.byteCount
    let x = try pair.number("qx", byteCount: length)
    let y = try pair.number("qy", byteCount: length)
    components = .ec(.p256, x: x, y: y)
    made = Mutex(nil)
  }

  /// An Ed25519 key, which only verifies.
  public init(ed25519 point: some Collection<UInt8>) throws(OpenSSLError) {
    let bytes = Array(point)
    try Ed25519Strength.check(bytes)
    components = .ed25519(bytes)
    made = Mutex(try KeyHandle(components))
  }

  /// The library's key, without the other half.
  func handle() throws(OpenSSLError) -> KeyHandle {
    try made.withLock { made throws(OpenSSLError) in
      if let made { return made }
      let handle = try KeyHandle(components)
      made = handle
      return handle
    }
  }

  /// Whether the signature of the message is by this key; a key of another kind or a malformed signature is a no.
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

  /// The same by a scheme that takes the message as it is, with a hash of its own.
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
      // A bad signature leaves reports, which must not be taken for a later call's.
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
  /// The P-256 key of a point that is written with both coordinates (SEC 1 section 2.3.4); other forms are refused.
  public convenience init(p256Point: some Collection<UInt8>) throws(OpenSSLError) {
    let point = Array(p256Point)
    let length = Curve.p256.byteCount
    guard point.count == 1 + 2 * length, point[0] == uncompressedPoint else {
      throw OpenSSLError("PublicKey", refusing: "the point is not written with both coordinates")
    }
    try self.init(curve: .p256, x: point[1...length], y: point[(1 + length)...])
  }

  /// The point of an EC key with both coordinates (SEC 1 section 2.3.3); a key of another kind has none.
  public var point: [UInt8]? {
    guard case .ec(_, let x, let y) = components else { return nil }
    return [uncompressedPoint] + x + y
  }
}

/// The first byte of a point that is written with both coordinates, SEC 1 section 2.3.3.
let uncompressedPoint: UInt8 = 4
