public import Glibc
public import OpenSSL

/// An AES-256-GCM key that seals other keys, or the values of one row and of the rows that refer to it.
public struct DataKey: Sendable {
  private let key: Secret

  static let byteCount = 32

  init(_ key: Secret) { self.key = key }

  static func random() throws -> DataKey { DataKey(try Secret.random(count: byteCount)) }

  /// Returns nonce, ciphertext and tag, concatenated.
  public func seal(_ plaintext: [UInt8], as label: SealLabel) throws -> [UInt8] {
    try Self.seal(plaintext, with: key, as: label)
  }

  public func seal(_ text: String, as label: SealLabel) throws -> [UInt8] {
    var bytes = Array(text.utf8)
    defer { wipe(&bytes) }
    return try seal(bytes, as: label)
  }

  /// Seals key material; wipes the temporary copy that is outside locked memory.
  public func seal(_ secret: Secret, as label: SealLabel) throws -> [UInt8] {
    var bytes = secret.withBytes { Array($0) }
    defer { wipe(&bytes) }
    return try seal(bytes, as: label)
  }

  /// Returns the plaintext; throws if the value was not sealed with this key under this label.
  public func open(_ sealed: [UInt8], as label: SealLabel) throws -> [UInt8] {
    try Self.open(sealed, with: key, as: label)
  }

  public func openText(_ sealed: [UInt8], as label: SealLabel) throws -> String {
    var bytes = try open(sealed, as: label)
    defer { wipe(&bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns key material in locked memory.
  public func openSecret(_ sealed: [UInt8], as label: SealLabel) throws -> Secret {
    var plaintext = try open(sealed, as: label)
    defer { wipe(&plaintext) }
    return Secret(copying: plaintext)
  }

  /// Returns this key, sealed by another key.
  func wrapped(by other: DataKey, as label: SealLabel) throws -> [UInt8] { try other.seal(key, as: label) }

  /// Opens a key that another key sealed under this label.
  init(unwrapping wrapped: [UInt8], with other: DataKey, as label: SealLabel) throws {
    key = try other.openSecret(wrapped, as: label)
  }

  /// Derives a key from this key and a second secret, so that both are needed.
  func combined(with other: Secret, for purpose: StaticString) throws -> DataKey {
    DataKey(try hkdfKey(from: other, salt: key, info: Array("\(purpose)".utf8), count: Self.byteCount))
  }

  static func seal(_ plaintext: [UInt8], with key: Secret, as label: SealLabel) throws -> [UInt8] {
    let nonce = try randomBytes(AESGCM.nonceByteCount)
    let sealed = try AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: label.bytes)
    return nonce + sealed.ciphertext + sealed.tag
  }

  static func open(_ sealed: [UInt8], with key: Secret, as label: SealLabel) throws -> [UInt8] {
    let (nonceCount, tagCount) = (AESGCM.nonceByteCount, AESGCM.tagByteCount)
    guard sealed.count >= nonceCount + tagCount else { throw SealingError.damaged }
    return try AESGCM.open(
      ciphertext: Array(sealed[nonceCount..<(sealed.count - tagCount)]),
      tag: Array(sealed.suffix(tagCount)),
      key: key,
      nonce: Array(sealed.prefix(nonceCount)),
      associatedData: label.bytes
    )
  }
}

/// The error for a sealed value that cannot be used.
public enum SealingError: Error {
  /// The value is shorter than any sealed value, or its content is invalid.
  case damaged
}

/// The name, row and owner of a sealed value.
///
/// A value opens only under the label with which it was sealed, so that it cannot be moved to another row.
///
/// The name is independent of table and column names: they can change without sealing the values again.
public struct SealLabel: Sendable {
  private let name: StaticString
  private let row: String
  let owner: uid_t

  public init(_ name: StaticString, row: String, owner: uid_t) {
    (self.name, self.row, self.owner) = (name, row, owner)
  }

  /// The associated data of the encryption.
  var bytes: [UInt8] { Array("mfad/1/\(name)/\(row)/\(owner)".utf8) }
}
