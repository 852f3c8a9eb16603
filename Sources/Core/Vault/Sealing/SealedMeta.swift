internal import EventLoop
internal import Journal
internal import SQLite

/// The names of sealed values that belong to the whole database.
enum SealedMeta: String {
  /// A known value that only the current key-encryption key opens.
  case proof = "key_proof"
  case digestKey = "digest_key"
  /// The key that seals values without an owner.
  case serviceKey = "service_key"
  /// The recovery copy: the key-encryption key's material, sealed by the recovery key.
  case spare = "key_spare"
  /// The material of a new key-encryption key, sealed by the old one; removed once the new one is stored.
  case successor = "key_successor"
}

extension SealLabel {
  static let proof = SealLabel("meta.key_proof", row: "", owner: 0)
  static let digestKey = SealLabel("meta.digest_key", row: "", owner: 0)
  static let serviceKey = SealLabel("meta.service_key", row: "", owner: 0)
  static let spare = SealLabel("meta.key_spare", row: "", owner: 0)
  static let successor = SealLabel("meta.key_successor", row: "", owner: 0)
}

extension Vault {
  /// True if a database has a key of an owner or of the whole database.
  ///
  /// The proof alone may be older than any sealed value: "mfad --seal" stores it in an empty state.
  static func hasSecrets(_ database: Database) throws -> Bool {
    try database.row(
      "SELECT EXISTS (SELECT 1 FROM owner_key) OR EXISTS (SELECT 1 FROM meta WHERE name = ?)",
      .text(SealedMeta.digestKey.rawValue)
    ) { $0.flag(0) } ?? false
  }

  func meta(_ name: SealedMeta) throws -> [UInt8]? {
    try database.row("SELECT value FROM meta WHERE name = ?", .text(name.rawValue)) { $0.blob(0) }
  }

  /// Stores a value; the caller must have opened a transaction.
  func setMeta(_ name: SealedMeta, _ value: [UInt8]) throws {
    try database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", .text(name.rawValue), .blob(value))
  }

  func removeMeta(_ name: SealedMeta) throws {
    try database.run("DELETE FROM meta WHERE name = ?", .text(name.rawValue))
  }

  func forgetSuccessor() throws {
    try removeMeta(.successor)
    // The new key is already stored, so a reader that blocks the truncation of the WAL is not an error.
    do { try database.truncateLog() } catch {
      Journal.warning("the WAL may still contain the wrapped key", ["reason": "\(error)"])
    }
  }
}
