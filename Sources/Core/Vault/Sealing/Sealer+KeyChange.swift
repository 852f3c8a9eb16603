internal import EventLoop
internal import Glibc
public import OpenSSL
internal import SQLite

// No transaction covers both the database and the place of the key-encryption key. The transaction that wraps
// all keys with the new key therefore also stores the new key, sealed by the old one. This copy stays until
// the new key has replaced the old one at its place. Until then, the old key opens the copy, and the new key
// in it opens everything else.

extension Sealer {
  /// Puts a staged key in its place, where the next start finds it.
  public typealias PlaceKey = () throws -> Void
  /// Stages the material of a key: it is on the disk when this returns, but replaces no other key yet.
  public typealias StageKey = (Secret) throws -> PlaceKey

  /// Creates a new key-encryption key, stages it, wraps all keys with it and puts it in its place.
  ///
  /// If it cannot be staged, nothing changes: the old key and its recovery key stay valid. Also stores a
  /// recovery copy of the new key, which `recovery` opens.
  public func changeKey(recovery: RecoveryKey, stage: StageKey) throws {
    guard let vault else { throw KeyError.missing }
    try finishChange(stage)
    let material = try Secret.random(count: KeyEncryptionKey.materialCount)
    let new = try KeyEncryptionKey(material, .keyFile)
    guard try vault.meta(.proof) != nil else {
      // Nothing is sealed yet: the key must be stored before the first sealed value, not after.
      try stage(material)()
      return try vault.database.transaction {
        try vault.setMeta(.proof, DataKey.seal([], with: new.key, as: .proof))
        try vault.setMeta(.spare, DataKey(recovery.wrappingKey).seal(material, as: .spare))
      }
    }
    let old = try loadedKey()
    let spare = try DataKey(recovery.wrappingKey).seal(material, as: .spare)
    let place = try stage(material)
    let backups = BackupDirectory(of: vault.directory)
    try backups.admit(BackupFile.Keys(current: new.key, spare: spare), openedBy: old.key)
    try vault.database.transaction {
      try rewrapEverything(from: old, to: new)
      try vault.setMeta(.spare, spare)
      try vault.setMeta(.successor, DataKey(old.key).seal(material, as: .successor))
    }
    forgetKeys()
    try place()
    backups.dropKeys(otherThan: new.key)
    try vault.forgetSuccessor()
  }

  /// Unwraps all keys with the old key-encryption key and wraps them with the new one.
  ///
  /// The caller must have opened a transaction.
  func rewrapEverything(from old: KeyEncryptionKey, to new: KeyEncryptionKey) throws {
    guard let vault else { return }
    let keys = (old: DataKey(old.key), new: DataKey(new.key))
    try rewrapOwnerKeys(from: keys.old, to: keys.new)
    for (name, label) in [(SealedMeta.digestKey, SealLabel.digestKey), (.serviceKey, .serviceKey)] {
      guard let sealed = try vault.meta(name) else { continue }
      try vault.setMeta(name, keys.new.seal(keys.old.openSecret(sealed, as: label), as: label))
    }
    try vault.setMeta(.proof, DataKey.seal([], with: new.key, as: .proof))
  }

  /// Opens the recovery copy of the key-encryption key with a recovery key and stores the key with `stage`.
  public func recoverKey(_ recovery: RecoveryKey, stage: StageKey) throws {
    guard let vault, let spare = try vault.meta(.spare), let proof = try vault.meta(.proof),
      let material = try? DataKey(recovery.wrappingKey).openSecret(spare, as: .spare)
    else { throw KeyError.notRecovered }
    _ = try DataKey.open(proof, with: KeyEncryptionKey(material, .keyFile).key, as: .proof)
    try stage(material)()
    try vault.forgetSuccessor()
    forgetKeys()
  }

  /// True if there are sealed values, but no available key opens them.
  public var isKeyMissing: Bool {
    guard let proof = try? vault?.meta(.proof) else { return false }
    return !proof.isEmpty && (try? loadedKey()) == nil
  }

  /// Throws if the loaded key does not open the proof; does nothing if no key is loaded.
  func checkItself() throws {
    guard let key = loaded, let proof = try vault?.meta(.proof) else { return }
    _ = try DataKey.open(proof, with: key.key, as: .proof)
  }

  /// Completes an interrupted change by storing its new key.
  private func finishChange(_ stage: StageKey) throws {
    guard let vault, let successor = try vault.meta(.successor), let proof = try vault.meta(.proof) else {
      return
    }
    for case .success(let kept) in places.candidates() where !kept.opens(proof) {
      guard let material = try? DataKey(kept.key).openSecret(successor, as: .successor) else { continue }
      try stage(material)()
      // This process may be unable to read the place where the key is stored.
      loaded = try KeyEncryptionKey(material, kept.source)
    }
    _ = try loadedKey()
    try vault.forgetSuccessor()
  }

  private func rewrapOwnerKeys(from old: DataKey, to new: DataKey) throws {
    guard let vault else { return }
    for (owner, slot, wrapped) in try vault.ownerKeys() {
      let label = SealLabel.ownerKey(owner)
      // A damaged key of one owner stays damaged and must not prevent the change for other owners.
      let key = try unlessDamaged("key", of: owner) {
        try DataKey(unwrapping: wrapped, with: old, as: label)
      }
      guard let key else { continue }
      try vault.setOwnerKey(key.wrapped(by: new, as: label), in: slot)
    }
  }
}

extension KeyEncryptionKey {
  /// True if this key opens the known value.
  func opens(_ proof: [UInt8]) -> Bool { (try? DataKey.open(proof, with: key, as: .proof)) != nil }

  /// Returns this key if it opens the known value, or if there is none yet.
  ///
  /// Otherwise returns the new key of an interrupted change, if this key opens the sealed new key and the new
  /// key opens the known value.
  func fitting(_ proof: [UInt8]?, successor: [UInt8]?) throws -> KeyEncryptionKey? {
    guard let proof, !opens(proof) else { return self }
    guard let successor, let material = try? DataKey(key).openSecret(successor, as: .successor) else {
      return nil
    }
    let next = try KeyEncryptionKey(material, source)
    return next.opens(proof) ? next : nil
  }
}
