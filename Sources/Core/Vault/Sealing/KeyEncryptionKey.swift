internal import OATHExports
internal import OpenSSL

/// The key that wraps the owners' keys and the keys of the whole database, with its source.
struct KeyEncryptionKey: Sendable {
  /// The place where the key is stored.
  enum Source: String, Sendable {
    case credential
    /// A credential that only this machine's TPM can unseal.
    case tpm2
    /// A file in the state directory that only the user of the service can access.
    case keyFile = "key-file"
  }

  let key: Secret
  let source: Source

  static let materialCount = 32

  /// Derives the key.
  ///
  /// The material is hashed, so that any material of at least 32 bytes yields a key of the right length.
  init(_ material: Secret, _ source: Source) throws {
    guard material.withBytes({ $0.count }) >= Self.materialCount else { throw KeyError.tooShort }
    var message = Array("mfad key-encryption key/".utf8) + material.withBytes { Array($0) }
    defer { wipe(&message) }
    var derived = try digest(message, .sha256)
    defer { wipe(&derived) }
    (key, self.source) = (Secret(copying: derived), source)
  }

  /// Creates the key from an already derived key.
  init(derived key: Secret, _ source: Source) { (self.key, self.source) = (key, source) }

  /// Passes the available keys to `fit` in order and returns the first result that is not nil.
  ///
  /// Creates a key file only if there is no key and nothing has been sealed yet, since a new key cannot open
  /// old secrets.
  static func load(
    from places: KeyLocations,
    mayCreate: Bool,
    fitting fit: (KeyEncryptionKey) throws -> KeyEncryptionKey?
  ) throws -> KeyEncryptionKey {
    var candidates = places.candidates()
    if candidates.isEmpty, mayCreate, !places.isSealed {
      try KeyFile.write(Secret.random(count: materialCount), to: places.keyFile)
      candidates = places.candidates()
    }
    for case .success(let candidate) in candidates {
      if let fitting = try fit(candidate) { return fitting }
    }
    for case .failure(let error) in candidates { throw error }
    guard candidates.isEmpty else { throw KeyError.another }
    throw places.isSealed ? KeyError.sealed : .missing
  }
}

/// The recovery key: 160 random bits that a user keeps on paper.
///
/// It opens the recovery copy of the key-encryption key.
public struct RecoveryKey: Sendable {
  private let bytes: Secret

  private static let count = 20
  private static let group = 4

  /// Creates a new random recovery key.
  public init() throws { bytes = try Secret.random(count: Self.count) }

  /// Parses a typed recovery key: Base32 in upper or lower case; nil if it is invalid.
  ///
  /// Ignores spaces and hyphens.
  public init?(_ text: String) {
    let digits = text.filter { !$0.isWhitespace && $0 != "-" }
    guard var decoded = Base32.decode(digits), decoded.count == Self.count else { return nil }
    defer { wipe(&decoded) }
    bytes = Secret(copying: decoded)
  }

  /// The text of the key for the user: eight groups of four characters.
  public var text: String {
    let digits = Array(bytes.withBytes { Base32.encode($0) })
    return stride(from: 0, to: digits.count, by: Self.group).map { start in
      String(digits[start..<min(start + Self.group, digits.count)])
    }.joined(separator: "-")
  }

  /// The key that wraps the recovery copy.
  ///
  /// A slow derivation is unnecessary, since the recovery key is random.
  var wrappingKey: Secret {
    get throws {
      try hkdfKey(
        from: bytes,
        salt: Secret(copying: []),
        info: Array("mfad recovery key".utf8),
        count: DataKey.byteCount
      )
    }
  }
}
