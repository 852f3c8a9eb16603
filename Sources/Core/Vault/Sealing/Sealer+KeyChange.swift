internal import EventLoop
internal import Glibc
public import OpenSSL
internal import SQLite

// The key-encryption key and what it is kept by are two things that no transaction changes together. So the transaction
// that wraps everything anew leaves the new key sealed by the old one, until the new one is kept where the old one was:
// at each moment what is kept opens everything.

extension Sealer {
  /// How the material of a key is kept from now on, on the disk when this returns.
  public typealias Keeping = (Secret) throws -> Void

  /// Wraps the keys of all owners by a new key, of which a recovery key opens a spare copy, and lets it be kept.
  public func changeKey(recovery: RecoveryKey, keep: Keeping) throws {
    guard let vault else { throw KeyError.missing }
    try finishChange(keep)
    let material = try Secret.random(count: KeyEncryptionKey.materialCount)
    let new = try KeyEncryptionKey(material, .keyFile)
    guard try vault.meta(.proof) != nil else {
      // Nothing is sealed: the key may be there before anything needs it, and not after.
      try keep(material)
      return try vault.database.transaction {
        try vault.setMeta(.proof, DataKey.seal([], with: new.key, as: .proof))
        try vault.setMeta(.spare, DataKey(recovery.wrappingKey).seal(material, as: .spare))
      }
    }
    let old = try loadedKey()
    let spare = try DataKey(recovery.wrappingKey).seal(material, as: .spare)
    let backups = BackupDirectory(of: vault.directory)
    try backups.admit(BackupFile.Keys(current: new.key, spare: spare), openedBy: old.key)
    try vault.database.transaction {
      try rewrapEverything(from: old, to: new)
      try vault.setMeta(.spare, spare)
      try vault.setMeta(.successor, DataKey(old.key).seal(material, as: .successor))
    }
    forgetKeys()
    try keep(material)
    backups.dropKeys(otherThan: new.key)
    try vault.forgetSuccessor()
  }

  /// Wraps anew all that one key-encryption key wraps, within a transaction that the caller has opened.
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

  /// Has the key kept anew that a recovery key opens.
  public func recoverKey(_ recovery: RecoveryKey, keep: Keeping) throws {
    guard let vault, let spare = try vault.meta(.spare), let proof = try vault.meta(.proof),
      let material = try? DataKey(recovery.wrappingKey).openSecret(spare, as: .spare)
    else { throw KeyError.notRecovered }
    _ = try DataKey.open(proof, with: KeyEncryptionKey(material, .keyFile).key, as: .proof)
    try keep(material)
    try vault.forgetSuccessor()
    forgetKeys()
  }

  /// Whether something was sealed that nothing here opens.
  public var isKeyMissing: Bool {
    guard let proof = try? vault?.meta(.proof) else { return false }
    return !proof.isEmpty && (try? loadedKey()) == nil
  }

  /// Opens a known value, if there is a key to open it by.
  func checkItself() throws {
    guard let key = loaded, let proof = try vault?.meta(.proof) else { return }
    _ = try DataKey.open(proof, with: key.key, as: .proof)
  }

  /// Has the new key of a change kept that was cut short.
  private func finishChange(_ keep: Keeping) throws {
    guard let vault, let successor = try vault.meta(.successor), let proof = try vault.meta(.proof) else {
      return
    }
    for case .success(let kept) in places.candidates() where !kept.opens(proof) {
      guard let material = try? DataKey(kept.key).openSecret(successor, as: .successor) else { continue }
      try keep(material)
      // Where it is kept now it may not be had from here.
      loaded = try KeyEncryptionKey(material, kept.source)
    }
    _ = try loadedKey()
    try vault.forgetSuccessor()
  }

  private func rewrapOwnerKeys(from old: DataKey, to new: DataKey) throws {
    guard let vault else { return }
    for (owner, slot, wrapped) in try vault.ownerKeys() {
      let label = SealLabel.ownerKey(owner)
      // A key that does not open now opens by no key afterwards either, and holds up nobody else's.
      let key = try unlessDamaged("key", of: owner) {
        try DataKey(unwrapping: wrapped, with: old, as: label)
      }
      guard let key else { continue }
      try vault.setOwnerKey(key.wrapped(by: new, as: label), in: slot)
    }
  }
}

extension KeyEncryptionKey {
  /// Whether this is the key that sealed the known value.
  func opens(_ proof: [UInt8]) -> Bool { (try? DataKey.open(proof, with: key, as: .proof)) != nil }

  /// The key itself if it opens the known value, else the one that took its place and is not kept yet.
  func fitting(_ proof: [UInt8]?, successor: [UInt8]?) throws -> KeyEncryptionKey? {
    guard let proof, !opens(proof) else { return self }
    guard let successor, let material = try? DataKey(key).openSecret(successor, as: .successor) else {
      return nil
    }
    let next = try KeyEncryptionKey(material, source)
    return next.opens(proof) ? next : nil
  }
}
