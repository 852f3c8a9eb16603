import JSON
package import OpenSSL

/// Encrypted tokens in compact form (RFC 7516 section 7.1), by direct key agreement on P-256 and AES-GCM.
package enum CompactJWE {
  /// The length that a token may have when nothing else is said, in bytes: what a courier carries at once.
  package static let defaultMaximumLength = 1024 * 1024
  /// The one key management: ECDH-ES without key wrapping, RFC 7518 section 4.6.
  static let keyManagement = "ECDH-ES"

  /// Encrypts to a P-256 key that may be used for it, by A256GCM and a key pair of this token alone.
  package static func encrypt(
    _ plaintext: [UInt8],
    to recipient: JWK,
    type: String?,
    keyID: String?
  ) throws(JOSEError) -> String {
    guard let peer = recipient.publicKey, recipient.takesKeyAgreement else { throw .keyMismatch }
    let encryption = ContentEncryption.a256GCM
    let ephemeral = try library { () throws(OpenSSLError) in try PrivateKey.generateP256() }
    var header = JSONObject()
    header["typ"] = type.map { .string($0) }
    header["alg"] = .string(keyManagement)
    header["enc"] = .string(encryption.rawValue)
    header["kid"] = keyID.map { .string($0) }
    header["epk"] = JWK(ephemeral.publicKey).json
    var text: [UInt8] = []
    Base64URL.append(JSON.object(header).serialized, to: &text)
    let associatedData = text
    let (nonce, sealed) = try library { () throws(OpenSSLError) in
      let agreed = try ephemeral.sharedSecret(with: peer)
      let key = try ConcatKDF.key(from: agreed, for: encryption, partyU: [], partyV: [])
      let nonce = try randomBytes(AESGCM.nonceByteCount)
      let sealed = try AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: associatedData)
      return (nonce, sealed)
    }
    // The second segment, a wrapped key, is empty: the agreed key is the content's.
    for segment in [[], nonce, sealed.ciphertext, sealed.tag] {
      text.append(UInt8(ascii: "."))
      Base64URL.append(segment, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decrypts a token of at most so many bytes whose `typ` is the one expected; without one any type passes.
  ///
  /// A protocol that names one way to protect contents allows only that one.
  package static func decrypt(
    _ token: some StringProtocol,
    with key: PrivateKey,
    type: String?,
    allowing encryptions: Set<ContentEncryption> = Set(ContentEncryption.allCases),
    maximumLength: Int = defaultMaximumLength
  ) throws(JOSEError) -> [UInt8] {
    let text = try CompactText(token, maximumLength: maximumLength, segmentCount: 5)
    let agreement = try KeyAgreementHeader(JOSEHeader(parsing: text.decoded(0)), type: type)
    guard encryptions.contains(agreement.encryption) else { throw .algorithmNotAllowed }
    let nonce = try text.decoded(2)
    let ciphertext = try text.decoded(3)
    let tag = try text.decoded(4)
    guard text.segments[1].isEmpty else { throw .malformed }
    guard nonce.count == AESGCM.nonceByteCount, tag.count == AESGCM.tagByteCount else { throw .malformed }
    guard case .ec(.p256, _, _) = key.publicKey.components else { throw .keyMismatch }
    let contentKey = try library { () throws(OpenSSLError) in
      try ConcatKDF.key(
        from: key.sharedSecret(with: agreement.ephemeralKey),
        for: agreement.encryption,
        partyU: agreement.partyU,
        partyV: agreement.partyV
      )
    }
    do {
      return try AESGCM.open(
        ciphertext: ciphertext,
        tag: tag,
        key: contentKey,
        nonce: nonce,
        associatedData: Array(text.segments[0])
      )
    } catch { throw .decryptionFailed }
  }

  /// The `kid` of a token, for a server to choose its key by; nothing has been verified.
  package static func unverifiedKeyID(
    of token: some StringProtocol,
    maximumLength: Int = defaultMaximumLength
  ) throws(JOSEError) -> String? {
    let text = try CompactText(token, maximumLength: maximumLength, segmentCount: 5)
    return try JOSEHeader(parsing: text.decoded(0)).keyID
  }
}

extension JWK {
  /// Whether the key says nothing against being encrypted to by key agreement.
  fileprivate var takesKeyAgreement: Bool {
    guard case .asymmetric(let key) = material, case .ec(.p256, _, _) = key.components else { return false }
    guard algorithmName == nil || algorithmName == CompactJWE.keyManagement else { return false }
    guard use == nil || use == "enc" else { return false }
    guard let keyOperations else { return true }
    return keyOperations.contains("deriveKey") || keyOperations.contains("deriveBits")
  }
}
