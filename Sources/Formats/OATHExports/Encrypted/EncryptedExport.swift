internal import JSON

/// A password-encrypted export with its key derivation.
public struct EncryptedExport: Sendable {
  public enum Lock: Sendable {
    /// The derived key decrypts the contents, and a witness if there is one. If only the witness can be
    /// decrypted, the contents are damaged.
    case password(KeyDerivation, witness: SealedBox?)
    /// The derived key decrypts one of several slots, which contains the key of the contents.
    case slots([Slot])
  }

  public struct Slot: Sendable {
    public let derivation: KeyDerivation
    public let box: SealedBox
  }

  /// Maximum number of slots, because a wrong password costs one key derivation per slot.
  static let maximumSlots = 4

  public let format: ExportFormat
  public let lock: Lock
  public let contents: SealedBox
  /// Parses the decrypted contents.
  private let decode: @Sendable (JSON) throws(ExportError) -> Export.Contents

  init(
    format: ExportFormat,
    lock: Lock,
    contents: SealedBox,
    decode: @escaping @Sendable (JSON) throws(ExportError) -> Export.Contents
  ) {
    (self.format, self.lock, self.contents, self.decode) = (format, lock, contents, decode)
  }

  /// Returns the entries of the decrypted contents; the caller must wipe the plaintext.
  public func entries(of plaintext: [UInt8]) throws(ExportError) -> [ExportedEntry] {
    do {
      let document = try JSON(parsing: plaintext, maximumValues: .max)
      if case .plain(let entries) = try decode(document) { return entries }
    } catch ExportError.tooManyEntries(let maximum) {
      throw .tooManyEntries(maximum: maximum)
    } catch {}
    throw .damaged
  }
}

/// Data sealed with AES-256-GCM without associated data.
public struct SealedBox: Sendable {
  static let nonceLength = 12
  static let tagLength = 16

  public let nonce: [UInt8]
  public let ciphertext: [UInt8]
  public let tag: [UInt8]

  init?(nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
    guard nonce.count == Self.nonceLength, tag.count == Self.tagLength, !ciphertext.isEmpty else {
      return nil
    }
    (self.nonce, self.ciphertext, self.tag) = (nonce, ciphertext, tag)
  }

  /// Creates a box from a ciphertext that ends with the tag.
  init?(nonce: [UInt8], sealed: ArraySlice<UInt8>) {
    self.init(
      nonce: nonce,
      ciphertext: Array(sealed.dropLast(Self.tagLength)),
      tag: Array(sealed.suffix(Self.tagLength))
    )
  }
}

/// The derivation of an export's 32-byte key from its password.
public enum KeyDerivation: Sendable, Equatable {
  public enum Hash: Sendable {
    case sha1, sha256
  }

  /// RFC 7914. `cost` is N, `blockSize` is r.
  case scrypt(salt: [UInt8], cost: Int, blockSize: Int, parallelism: Int)
  /// RFC 8018 section 5.2.
  case pbkdf2(Hash, salt: [UInt8], rounds: Int)
  /// The SHA-256 digest of the password.
  case sha256

  /// Maximum memory of scrypt in bytes, 128 · N · r.
  private static let mostMemory = 32 * 1024 * 1024
  static let rounds = 1...1_000_000

  /// Returns self if the parameters are valid and within the limits; an export may contain any parameters.
  func checked() throws(ExportError) -> KeyDerivation {
    switch self {
    case .scrypt(_, let cost, let blockSize, let parallelism):
      guard cost > 1, cost & (cost - 1) == 0, blockSize > 0, parallelism > 0 else { throw .malformed }
      let (blocks, overflow) = cost.multipliedReportingOverflow(by: blockSize)
      guard !overflow, blocks <= Self.mostMemory / 128, parallelism == 1 else { throw .tooExpensive }
    case .pbkdf2(_, _, let rounds): guard Self.rounds.contains(rounds) else { throw .tooExpensive }
    case .sha256: break
    }
    return self
  }
}
