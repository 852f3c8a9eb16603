internal import Glibc
internal import OpenSSL

/// A random key that seals the fields of one row and those that hang on it, AES-256-GCM.
///
/// What is sealed is bound to its place (table, row, owner, column), so that a value moved elsewhere does not open.
struct DataKey: Sendable {
  private let key: Secret

  static let byteCount = 32

  init(_ key: Secret) { self.key = key }

  static func random() throws -> DataKey { DataKey(try Secret.random(count: byteCount)) }

  /// The plaintext sealed for its place: nonce, ciphertext and tag in one.
  func seal(_ plaintext: [UInt8], at place: Place) throws -> [UInt8] {
    try Self.seal(plaintext, with: key, at: place)
  }

  /// The plaintext of what was sealed for this place; anything else throws.
  func open(_ sealed: [UInt8], at place: Place) throws -> [UInt8] {
    try Self.open(sealed, with: key, at: place)
  }

  /// The same for key material, which never leaves locked memory.
  func openSecret(_ sealed: [UInt8], at place: Place) throws -> Secret {
    var plaintext = try open(sealed, at: place)
    defer { wipe(&plaintext) }
    return Secret(copying: plaintext)
  }

  /// The key itself, sealed by the key-encryption key.
  func wrapped(by keyEncryptionKey: Secret, at place: Place) throws -> [UInt8] {
    var bytes = key.withBytes { Array($0) }
    defer { wipe(&bytes) }
    return try Self.seal(bytes, with: keyEncryptionKey, at: place)
  }

  /// The key that was sealed by the key-encryption key for this place.
  init(unwrapping wrapped: [UInt8], with keyEncryptionKey: Secret, at place: Place) throws {
    var bytes = try Self.open(wrapped, with: keyEncryptionKey, at: place)
    defer { wipe(&bytes) }
    key = Secret(copying: bytes)
  }

  static func seal(_ plaintext: [UInt8], with key: Secret, at place: Place) throws -> [UInt8] {
    let nonce = try randomBytes(AESGCM.nonceByteCount)
    let sealed = try AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: place.bytes)
    return nonce + sealed.ciphertext + sealed.tag
  }

  static func open(_ sealed: [UInt8], with key: Secret, at place: Place) throws -> [UInt8] {
    let (nonceCount, tagCount) = (AESGCM.nonceByteCount, AESGCM.tagByteCount)
    guard sealed.count >= nonceCount + tagCount else { throw SealingError.damaged }
    return try AESGCM.open(
      ciphertext: Array(sealed[nonceCount..<(sealed.count - tagCount)]),
      tag: Array(sealed.suffix(tagCount)),
      key: key,
      nonce: Array(sealed.prefix(nonceCount)),
      associatedData: place.bytes
    )
  }
}

/// Where a sealed value belongs.
struct Place: Sendable {
  let table: StaticString
  let row: String
  let owner: uid_t
  let column: StaticString

  var bytes: [UInt8] { Array("mfad/1/\(table)/\(row)/\(owner)/\(column)".utf8) }
}

/// A sealed value that cannot be opened.
enum SealingError: Error {
  /// It is shorter than a sealed value can be.
  case damaged
}
