public import JSON
public import OpenSSL

/// A signed token in compact form (RFC 7515 section 7.1); verify it to access its payload.
public struct CompactJWS: Sendable {
  /// The header, not verified.
  public let header: JOSEHeader
  /// The signed bytes: the first two segments and the dot between them.
  public let signingInput: [UInt8]
  private let payload: [UInt8]
  private let signature: [UInt8]

  /// Parses a token of at most `maximumLength` bytes: three segments, strict base64url, a strict header.
  public init(parsing text: some StringProtocol, maximumLength: Int = 64 * 1024) throws(JOSEError) {
    let text = try CompactText(text, maximumLength: maximumLength, segmentCount: 3)
    header = try JOSEHeader(parsing: text.decoded(0))
    payload = try text.decoded(1)
    signature = try text.decoded(2)
    signingInput = Array(text.bytes[..<(text.segments[2].startIndex - 1)])
  }

  /// Verifies the token with a key; the header's `kid` is ignored, because the caller chose the key.
  public func verified(
    with key: JWK,
    allowing algorithms: Set<SignatureAlgorithm>
  ) throws(JOSEError) -> VerifiedJWS {
    try verified(with: key, by: algorithm(among: algorithms))
  }

  /// Verifies the token with the key that its `kid` names; without a `kid`, exactly one key must fit.
  public func verified(
    with keys: JWKSet,
    allowing algorithms: Set<SignatureAlgorithm>
  ) throws(JOSEError) -> VerifiedJWS {
    let algorithm = try algorithm(among: algorithms)
    return try verified(with: keys.key(id: header.keyID, fitting: algorithm), by: algorithm)
  }

  private func algorithm(among allowed: Set<SignatureAlgorithm>) throws(JOSEError) -> SignatureAlgorithm {
    guard let algorithm = SignatureAlgorithm(rawValue: header.algorithm) else { throw .unsupportedAlgorithm }
    guard allowed.contains(algorithm) else { throw .algorithmNotAllowed }
    return algorithm
  }

  private func verified(with key: JWK, by algorithm: SignatureAlgorithm) throws(JOSEError) -> VerifiedJWS {
    guard key.fits(algorithm) else { throw .keyMismatch }
    guard try library({ () throws(OpenSSLError) in try isSigned(by: key, algorithm) }) else {
      throw .badSignature
    }
    return VerifiedJWS(header: header, payload: payload, keyID: key.keyID, thumbprint: key.thumbprint)
  }

  private func isSigned(by key: JWK, _ algorithm: SignatureAlgorithm) throws(OpenSSLError) -> Bool {
    switch (key.material, algorithm.method) {
    case (.symmetric(let secret), .hmac(let hash)):
      let code = try HMACContext(hash, key: secret).code(for: signingInput)
      return constantTimeEqual(code, signature)
    case (.asymmetric(let key), _):
      guard let scheme = algorithm.scheme(for: key.components) else { return false }
      return try key.verifies(signature, of: signingInput, scheme: scheme)
    case (.symmetric, .rsa), (.symmetric, .ecdsa), (.symmetric, .eddsa):
      return false
    }
  }
}

extension CompactJWS: CustomStringConvertible, CustomReflectable {
  /// Only the type's name, so that a printed token does not show its payload.
  public var description: String { "CompactJWS" }

  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A signed token with a verified signature; only `CompactJWS` can create one.
public struct VerifiedJWS: Sendable {
  /// The header, covered by the signature.
  public let header: JOSEHeader
  /// The signed bytes.
  public let payload: [UInt8]
  /// The id of the verifying key, as its owner chose it.
  public let keyID: String?
  /// The RFC 7638 thumbprint of the verifying key.
  public let thumbprint: String

  fileprivate init(header: JOSEHeader, payload: [UInt8], keyID: String?, thumbprint: String) {
    self.header = header
    self.payload = payload
    self.keyID = keyID
    self.thumbprint = thumbprint
  }

  /// Returns the payload as a JSON object, parsed strictly (RFC 7519 section 7.2).
  public func claims() throws(JOSEError) -> JSONObject {
    guard let claims = try? JSON(parsing: payload).object else { throw .malformed }
    return claims
  }
}

extension CompactJWS {
  /// Signs a token; `extraHeader` must not contain extensions or members that other parameters set.
  public static func sign(
    payload: [UInt8],
    type: String?,
    keyID: String?,
    extraHeader: JSONObject = [:],
    with key: PrivateKey,
    algorithm: SignatureAlgorithm
  ) throws(JOSEError) -> String {
    guard let scheme = algorithm.scheme(for: key.publicKey.components) else { throw .keyMismatch }
    let reserved = ["alg", "typ", "kid", "crit", "b64", "zip"]
    for name in reserved where extraHeader[name] != nil { throw .malformed }
    var header = header(type: type, algorithm)
    header["kid"] = keyID.map { .string($0) }
    for member in extraHeader.members { header[member.name] = member.value }
    return try text(of: header, payload) { input throws(OpenSSLError) in
      try key.sign(input, scheme: scheme)
    }
  }

  /// Signs a token with a shared secret by HS256.
  public static func sign(payload: [UInt8], type: String?, with secret: Secret) throws(JOSEError) -> String {
    // RFC 7518 section 3.2: the secret must be at least as long as the hash.
    guard secret.count >= HashAlgorithm.sha256.byteCount else { throw .unusableKey }
    return try text(of: header(type: type, .hs256), payload) { input throws(OpenSSLError) in
      try HMACContext(.sha256, key: secret).code(for: input)
    }
  }

  private static func header(type: String?, _ algorithm: SignatureAlgorithm) -> JSONObject {
    var header = JSONObject()
    header["typ"] = type.map { .string($0) }
    header["alg"] = .string(algorithm.rawValue)
    return header
  }

  private static func text(
    of header: JSONObject,
    _ payload: [UInt8],
    signedBy sign: ([UInt8]) throws(OpenSSLError) -> [UInt8]
  ) throws(JOSEError) -> String {
    var text: [UInt8] = []
    Base64URL.append(JSON.object(header).serialized, to: &text)
    text.append(UInt8(ascii: "."))
    Base64URL.append(payload, to: &text)
    let signingInput = text
    let signature = try library { () throws(OpenSSLError) in try sign(signingInput) }
    text.append(UInt8(ascii: "."))
    Base64URL.append(signature, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
