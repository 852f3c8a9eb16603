public import Glibc
public import OpenSSL

/// A random key that seals other keys or the fields of one row and those that hang on it, AES-256-GCM.
public struct DataKey: Sendable {
  private let key: Secret

  static let byteCount = 32

  init(_ key: Secret) { self.key = key }

  static func random() throws -> DataKey { DataKey(try Secret.random(count: byteCount)) }

  /// Nonce, ciphertext and tag in one.
  public func seal(_ plaintext: [UInt8], as label: SealLabel) throws -> [UInt8] {
    try Self.seal(plaintext, with: key, as: label)
  }

  public func seal(_ text: String, as label: SealLabel) throws -> [UInt8] {
    var bytes = Array(text.utf8)
    defer { wipe(&bytes) }
    return try seal(bytes, as: label)
  }

  /// Key material, whose copy outside locked memory is wiped.
  public func seal(_ secret: Secret, as label: SealLabel) throws -> [UInt8] {
    var bytes = secret.withBytes { Array($0) }
    defer { wipe(&bytes) }
    return try seal(bytes, as: label)
  }

  /// The plaintext of what was sealed under this label; anything else throws.
  public func open(_ sealed: [UInt8], as label: SealLabel) throws -> [UInt8] {
    try Self.open(sealed, with: key, as: label)
  }

  public func openText(_ sealed: [UInt8], as label: SealLabel) throws -> String {
    var bytes = try open(sealed, as: label)
    defer { wipe(&bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Key material, which stays in locked memory.
  public func openSecret(_ sealed: [UInt8], as label: SealLabel) throws -> Secret {
    var plaintext = try open(sealed, as: label)
    defer { wipe(&plaintext) }
    return Secret(copying: plaintext)
  }

  /// The key itself, sealed by another.
  func wrapped(by other: DataKey, as label: SealLabel) throws -> [UInt8] { try other.seal(key, as: label) }

  /// The key that was sealed by another under this label.
  init(unwrapping wrapped: [UInt8], with other: DataKey, as label: SealLabel) throws {
    key = try other.openSecret(wrapped, as: label)
  }

  /// The key that takes both this one and another secret to make.
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

/// A sealed value that cannot be opened.
public enum SealingError: Error {
  /// It is shorter than a sealed value can be, or holds something else than it should.
  case damaged
}

/// What a sealed value is and whose, which it is bound to: one that is moved elsewhere does not open.
///
/// The name is stable whatever tables and columns are called, so that a table can be built anew without opening what
/// it holds.
public struct SealLabel: Sendable {
  private let name: StaticString
  private let row: String
  let owner: uid_t

  public init(_ name: StaticString, row: String, owner: uid_t) {
    (self.name, self.row, self.owner) = (name, row, owner)
  }

  /// The data that authenticates the place, beside the ciphertext.
  var bytes: [UInt8] { Array("mfad/1/\(name)/\(row)/\(owner)".utf8) }
}
