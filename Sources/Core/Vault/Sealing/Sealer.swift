internal import ControlAPI
package import EventLoop
package import Glibc
internal import JSONRPC
internal import Journal
internal import OpenSSL
internal import SQLite

/// Three levels of keys: the key-encryption key wraps a key of each owner, which wraps a random data key for each
/// family of their rows.
///
/// An owner is erased by destroying their key: whatever copy of a row is left somewhere, nothing opens it.
@EventLoop
package final class Sealer {
  weak var vault: Vault?
  private let directory: String
  private let credential: String
  private var loaded: KeyEncryptionKey?
  private var digestKey: HMACContext?
  private let ownerKeys = RecentCache<uid_t, DataKey>(capacity: 1024)
  private var keyColumns: [KeyColumn] = []

  nonisolated init(directory: String, credential: String) {
    (self.directory, self.credential) = (directory, credential)
  }

  /// What keeps the key-encryption key: credential, key-file or unavailable.
  package var source: String { (try? loadedKey().source.rawValue) ?? "unavailable" }

  /// A new data key with its wrapped form for the row.
  package func makeDataKey(_ label: SealLabel) throws -> (key: DataKey, wrapped: [UInt8]) {
    let key = try DataKey.random()
    return (key, try wrap(key, label))
  }

  /// The data key of a row.
  package func dataKey(unwrapping wrapped: [UInt8], _ label: SealLabel) throws -> DataKey {
    guard wrapped.first == Self.form, wrapped.count == KeyColumn.ownFormCount + 1 else {
      return try DataKey(unwrapping: wrapped, with: keyEncryptionKey(), as: label)
    }
    guard let ownerKey = try knownKey(of: label.owner) else { throw SealingError.damaged }
    return try DataKey(unwrapping: Array(wrapped.dropFirst()), with: ownerKey, as: label)
  }

  /// What a data key begins with that an owner's key wraps; those of the first release begin with a nonce, are a byte
  /// shorter, and are wrapped by the key-encryption key until they are adopted.
  private static let form: UInt8 = 1

  private func wrap(_ key: DataKey, _ label: SealLabel) throws -> [UInt8] {
    let ownerKey = try knownKey(of: label.owner) ?? makeKey(of: label.owner)
    return [Self.form] + (try key.wrapped(by: ownerKey, as: label))
  }

  // MARK: Keys of owners

  private func knownKey(of owner: uid_t) throws -> DataKey? {
    if let key = ownerKeys[owner] { return key }
    guard let vault, let wrapped = try vault.ownerKey(of: owner) else { return nil }
    let key = try DataKey(unwrapping: wrapped, with: keyEncryptionKey(), as: Self.ownerLabel(owner))
    ownerKeys[owner] = key
    return key
  }

  private func makeKey(of owner: uid_t) throws -> DataKey {
    guard let vault else { throw RPCError.keyUnavailable }
    let key = try DataKey.random()
    try vault.insertOwnerKey(try key.wrapped(by: keyEncryptionKey(), as: Self.ownerLabel(owner)), of: owner)
    ownerKeys[owner] = key
    return key
  }

  /// Makes everything that is sealed for an owner unreadable for ever, once what was changed is on the disk.
  func destroyKey(of owner: uid_t) throws {
    ownerKeys[owner] = nil
    try vault?.destroyOwnerKey(of: owner)
  }

  private static func ownerLabel(_ owner: uid_t) -> SealLabel {
    SealLabel("owner.key", row: "", owner: owner)
  }

  /// Adds where wrapped data keys lie.
  package func holdsKeys(in column: KeyColumn) { keyColumns.append(column) }

  /// Has every data key that the key-encryption key wraps itself, as in the first release, wrapped by its owner's.
  ///
  /// Returns whether there were any.
  package func adoptDataKeys() throws -> Bool {
    guard let vault else { return false }
    var found = false
    for column in keyColumns {
      for (row, owner, wrapped) in try column.oldKeys(in: vault) {
        let label = SealLabel(column.label, row: row, owner: owner)
        let key = try unlessDamaged("data key", of: owner) { try dataKey(unwrapping: wrapped, label) }
        guard let key else { continue }
        try column.put(try wrap(key, label), row: row, owner: owner, in: vault)
        found = true
      }
    }
    return found
  }

  /// Seals what belongs to no owner, and so is not erased with any, by the key-encryption key itself.
  package func seal(_ text: String, as label: SealLabel) throws -> [UInt8] {
    try keyEncryptionKey().seal(text, as: label)
  }

  /// What was sealed so under this label; anything else throws.
  package func open(_ sealed: [UInt8], as label: SealLabel) throws -> [UInt8] {
    try keyEncryptionKey().open(sealed, as: label)
  }

  /// By which personal data is found without being read: a keyed digest of a name and the parts that it belongs to.
  package func digest(_ name: StaticString, _ parts: [String]) throws -> [UInt8] {
    var message = Array("\(name)".utf8)
    for part in parts {
      // A length before each part keeps two lists from having one digest.
      message += Array("/\(part.utf8.count)/".utf8) + Array(part.utf8)
    }
    return Array(try loadedDigestKey().code(for: message).prefix(16))
  }

  /// What a row says, or nothing if a value sealed in it does not open; any other failure is not the row's.
  package func unlessDamaged<R>(_ thing: StaticString, of owner: uid_t, _ read: () throws -> R) throws -> R? {
    do { return try read() } catch let error as RPCError { throw error } catch let error as SQLiteError {
      throw error
    } catch {
      Journal.error("a sealed value does not open", ["thing": thing, "uid": owner])
      return nil
    }
  }

  private static let proofLabel = SealLabel("meta.key_proof", row: "", owner: 0)
  private static let digestKeyLabel = SealLabel("meta.digest_key", row: "", owner: 0)

  private func keyEncryptionKey() throws -> DataKey { DataKey(try loadedKey().key) }

  private func loadedKey() throws -> KeyEncryptionKey {
    if let loaded { return loaded }
    guard let vault else { throw RPCError.keyUnavailable }
    let proof = try vault.meta("key_proof")
    do {
      let key = try KeyEncryptionKey.load(
        credential: credential,
        stateDirectory: directory,
        mayCreate: proof == nil
      )
      if let proof {
        _ = try DataKey.open(proof, with: key.key, as: Self.proofLabel)
      } else {
        try vault.setMeta("key_proof", try DataKey.seal([], with: key.key, as: Self.proofLabel))
      }
      loaded = key
      return key
    } catch {
      Journal.error("the key-encryption key cannot be had", ["reason": "\(error)"])
      throw RPCError.keyUnavailable
    }
  }

  private func loadedDigestKey() throws -> HMACContext {
    if let digestKey { return digestKey }
    guard let vault else { throw RPCError.keyUnavailable }
    let keyEncryptionKey = try keyEncryptionKey()
    let key: Secret
    if let sealed = try vault.meta("digest_key") {
      key = try keyEncryptionKey.openSecret(sealed, as: Self.digestKeyLabel)
    } else {
      key = try Secret.random(count: DataKey.byteCount)
      try vault.setMeta("digest_key", try keyEncryptionKey.seal(key, as: Self.digestKeyLabel))
    }
    let context = try HMACContext(.sha256, key: key)
    digestKey = context
    return context
  }

  /// Forgets keys that may have been made in a turn that was undone.
  func forgetKeys() {
    (loaded, digestKey) = (nil, nil)
    ownerKeys.removeAll()
  }
}

// Rows of `meta`.

extension Vault {
  fileprivate func meta(_ name: String) throws -> [UInt8]? {
    try database.row("SELECT value FROM meta WHERE name = ?", .text(name)) { $0.blob(0) }
  }

  fileprivate func setMeta(_ name: String, _ value: [UInt8]) throws {
    try write { try $0.run("INSERT INTO meta VALUES (?, ?)", .text(name), .blob(value)) }
  }
}
