internal import EventLoop
internal import Journal
internal import SQLite

/// Values of the file as a whole, by their names.
enum SealedMeta: String {
  /// Opens only with the key-encryption key that sealed everything else.
  case proof = "key_proof"
  case digestKey = "digest_key"
  /// Seals what belongs to no owner.
  case serviceKey = "service_key"
  /// The material of the key-encryption key, sealed by the recovery key.
  case spare = "key_spare"
  /// The material of a new key-encryption key, sealed by the one that is still kept.
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
  func meta(_ name: SealedMeta) throws -> [UInt8]? {
    try database.row("SELECT value FROM meta WHERE name = ?", .text(name.rawValue)) { $0.blob(0) }
  }

  /// Within a transaction that the caller has opened.
  func setMeta(_ name: SealedMeta, _ value: [UInt8]) throws {
    try database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", .text(name.rawValue), .blob(value))
  }

  func removeMeta(_ name: SealedMeta) throws {
    try database.run("DELETE FROM meta WHERE name = ?", .text(name.rawValue))
  }

  func forgetSuccessor() throws {
    try removeMeta(.successor)
    // The new key is kept by now; a reader that holds the log up is no reason to doubt it.
    do { try database.truncateLog() } catch {
      Journal.warning("the log keeps what wrapped the key until it is written over", ["reason": "\(error)"])
    }
  }
}
