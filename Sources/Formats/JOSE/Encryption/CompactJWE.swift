internal import JSON
public import OpenSSL

/// Encrypted tokens in compact form (RFC 7516 section 7.1): direct key agreement on P-256, then AES-GCM.
public enum CompactJWE {
  /// Default maximum length of a token in bytes: the maximum length of a courier message.
  public static let defaultMaximumLength = 1024 * 1024
  /// The only supported key management: ECDH-ES without key wrapping, RFC 7518 section 4.6.
  static let keyManagement = "ECDH-ES"

  /// Encrypts to a P-256 key that allows key agreement, with A256GCM and a new ephemeral key.
  public static func encrypt(
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
    // The second segment, the wrapped key, is empty, because the agreed key encrypts the content.
    for segment in [[], nonce, sealed.ciphertext, sealed.tag] {
      text.append(UInt8(ascii: "."))
      Base64URL.append(segment, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decrypts a token of at most `maximumLength` bytes.
  ///
  /// `type`: the required `typ`; `nil` for any.
  ///
  /// `encryptions` restricts the content encryption, for protocols that specify one.
  public static func decrypt(
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

  /// Returns the `kid` of a token without any verification, so that a server can choose its key.
  public static func unverifiedKeyID(
    of token: some StringProtocol,
    maximumLength: Int = defaultMaximumLength
  ) throws(JOSEError) -> String? {
    let text = try CompactText(token, maximumLength: maximumLength, segmentCount: 5)
    return try JOSEHeader(parsing: text.decoded(0)).keyID
  }
}

extension JWK {
  /// True if the key's members allow key agreement.
  fileprivate var takesKeyAgreement: Bool {
    guard case .asymmetric(let key) = material, case .ec(.p256, _, _) = key.components else { return false }
    guard algorithmName == nil || algorithmName == CompactJWE.keyManagement else { return false }
    guard use == nil || use == "enc" else { return false }
    guard let keyOperations else { return true }
    return keyOperations.contains("deriveKey") || keyOperations.contains("deriveBits")
  }
}

/// The key agreement parameters of an encrypted token, RFC 7518 section 4.6.1.
struct KeyAgreementHeader {
  /// The content encryption.
  let encryption: ContentEncryption
  /// The sender's ephemeral key (`epk`), a point on P-256.
  let ephemeralKey: PublicKey
  /// Information about the sender (`apu`), an input of the key derivation.
  let partyU: [UInt8]
  /// Information about the recipient (`apv`), an input of the key derivation.
  let partyV: [UInt8]

  /// Reads the parameters from a header with the expected type.
  init(_ header: JOSEHeader, type: String?) throws(JOSEError) {
    guard header.algorithm == CompactJWE.keyManagement else { throw .unsupportedAlgorithm }
    guard let name = try header.members.text("enc") else { throw .malformed }
    guard let encryption = ContentEncryption(rawValue: name) else { throw .unsupportedAlgorithm }
    try header.requireType(type)
    self.encryption = encryption
    guard let members = header.members["epk"]?.object, let key = try? PublicKey(members: members) else {
      throw .malformed
    }
    guard case .ec(.p256, _, _) = key.components else { throw .malformed }
    ephemeralKey = key
    partyU = try header.members.party("apu")
    partyV = try header.members.party("apv")
  }
}

extension JSONObject {
  fileprivate func party(_ name: String) throws(JOSEError) -> [UInt8] {
    guard let text = try text(name) else { return [] }
    guard let bytes = Base64URL.decode(text) else { throw .malformed }
    return bytes
  }
}

/// The content encryption of a token, RFC 7518 section 5.3: AES-GCM only.
public enum ContentEncryption: String, CaseIterable, Sendable {
  case a128GCM = "A128GCM"
  case a192GCM = "A192GCM"
  case a256GCM = "A256GCM"

  /// The length of the key in bytes.
  var keyByteCount: Int {
    switch self {
    case .a128GCM: 16
    case .a192GCM: 24
    case .a256GCM: 32
    }
  }
}

/// The key derivation of a direct key agreement, RFC 7518 section 4.6.2.
enum ConcatKDF {
  /// Derives the content encryption key from the shared secret and the parties' information.
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
