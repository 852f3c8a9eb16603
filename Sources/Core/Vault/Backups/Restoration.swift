internal import ControlAPI
public import EventLoop
internal import Glibc
public import OpenSSL
public import SQLite
internal import SystemCalls
public import Time

/// Restores a backup, while no daemon runs.
///
/// The new state is built in a separate directory and replaces the old one by one rename. If an interruption
/// precedes the rename, the old state is still in use.
@EventLoop
public struct Restoration {
  private let backup: OpenBackup
  /// The current state, which holds the lock of the directory.
  private let live: Vault
  private let places: KeyLocations
  private let schema: DatabaseSchema
  private let time: TimeSource

  static let restoring = AutomaticAction("restoreBackup")

  /// Locks the directory, which is created if it is missing.
  public init(
    of backup: OpenBackup,
    into directory: String,
    keys places: KeyLocations,
    schema: DatabaseSchema,
    time: TimeSource
  ) throws {
    (self.backup, self.places, self.schema, self.time) = (backup, places, schema, time)
    live = try Vault(directory: directory, keys: places, schema: schema)
  }

  /// Restores the backup; if a recovery key is needed, the recovered key is stored with `keep` first.
  ///
  /// Returns true if the current state was readable, so that its newer values were kept.
  public func run(
    _ components: [any OwnedComponent.Type],
    recovery: RecoveryKey?,
    keep: (Secret) throws -> Void
  ) throws -> Bool {
    let rules = components.map { $0.restoration }
    defer { withExtendedLifetime(live) {} }
    let isLiveWhole = try live.isWhole()
    let building = live.directory + "/restoring"
    Self.remove(building)
    guard mkdir(building, 0o700) == 0 else { throw SystemError("mkdir") }
    defer { Self.remove(building) }
    let key = try key(isLiveWhole, recovery, keep)
    let inner = try backup.read(into: Vault.path(in: building), openedBy: [key.key])
    let state = try Vault(directory: building, keys: KeyLocations(directory: building), schema: schema)
    try rewrap(state, from: KeyEncryptionKey(derived: inner, key.source), to: key)
    if isLiveWhole {
      try takeLater(rules.flatMap(\.later), into: state)
    } else {
      try state.write { database in
        try state.disablePINs()
        for statement in rules.flatMap(\.withoutLive) { try database.run(statement) }
      }
    }
    try beginEpoch(of: state)
    try state.commit()
    try state.close()
    try putInPlace(Vault.path(in: building), isLiveWhole)
    return isLiveWhole
  }

  /// Returns the current key if the current state is readable; otherwise a key that opens the backup.
  private func key(
    _ isLiveWhole: Bool,
    _ recovery: RecoveryKey?,
    _ keep: (Secret) throws -> Void
  ) throws -> KeyEncryptionKey {
    if isLiveWhole {
      // If the current key is lost, the administrator must restore it first, with "mfad --recover".
      guard let key = try? live.sealer.loadedKey() else { throw BackupError.noKey }
      return key
    }
    if let recovery { return try key(broughtBackBy: recovery, keep) }
    for case .success(let key) in places.candidates()
    where backup.header.contentKey(openedBy: key.key) != nil {
      return key
    }
    throw BackupError.noKey
  }

  private func key(
    broughtBackBy recovery: RecoveryKey,
    _ keep: (Secret) throws -> Void
  ) throws -> KeyEncryptionKey {
    for slot in backup.header.slots {
      guard let material = try? DataKey(recovery.wrappingKey).openSecret(slot.spare, as: .spare) else {
        continue
      }
      let key = try KeyEncryptionKey(material, .keyFile)
      guard backup.header.contentKey(openedBy: key.key) != nil else { continue }
      try keep(material)
      return key
    }
    throw KeyError.notRecovered
  }

  private func rewrap(_ state: Vault, from old: KeyEncryptionKey, to new: KeyEncryptionKey) throws {
    state.sealer.loaded = old
    try state.write { _ in
      try state.sealer.rewrapEverything(from: old, to: new)
      let slot = backup.header.contentKey(openedBy: new.key).map { backup.header.slots[$0.slot] }
      if let spare = slot?.spare, spare.contains(where: { $0 != 0 }) { try state.setMeta(.spare, spare) }
      try state.removeMeta(.successor)
    }
    try state.commit()
    state.sealer.forgetKeys()
    state.sealer.loaded = new
  }

  /// Copies from the current state: the audit, PINs, other values that are newer, and the removal of owners.
  private func takeLater(_ rules: [StaticString], into state: Vault) throws {
    let database = try state.database
    try live.emptyLog()
    try database.run("ATTACH DATABASE ? AS live", .text(live.path))
    try state.write { database in
      for owner in try state.ownersGoneFromLive() {
        try state.sealer.destroyKey(of: owner)
        try database.run("DELETE FROM owner WHERE uid = ?", SQLValue(owner))
      }
      try state.takePINsFromLive()
      for statement in Self.ofVault + rules { try database.run(statement) }
    }
    try state.commit()
    try database.run("DETACH DATABASE live")
    // Forgets the cached keys of the whole database, since those of the current state have replaced them.
    let key = try state.sealer.loadedKey()
    state.sealer.forgetKeys()
    state.sealer.loaded = key
  }

  private static let ofVault: [StaticString] = [
    "DELETE FROM audit", "INSERT INTO audit SELECT * FROM live.audit",
    "DELETE FROM audit_chain", "INSERT INTO audit_chain SELECT * FROM live.audit_chain",
    "DELETE FROM audit_total", "INSERT INTO audit_total SELECT * FROM live.audit_total",
    "DELETE FROM erased_owner", "INSERT INTO erased_owner SELECT * FROM live.erased_owner",
    """
    INSERT OR REPLACE INTO meta
      SELECT * FROM live.meta WHERE name IN ('digest_key', 'service_key', 'key_spare', 'key_proof')
    """,
    """
    UPDATE sqlite_sequence SET seq =
      max(seq, coalesce((SELECT seq FROM live.sqlite_sequence AS l WHERE l.name = sqlite_sequence.name), 0))
    """,
  ]

  /// Starts a new epoch, so that older copies of the replaced state are detected as rolled back.
  private func beginEpoch(of state: Vault) throws {
    // Store the content of the existing counter file; otherwise the next start would report a rollback.
    let content = try AtomicFile.read(
      RollbackCounter.path(of: live.directory),
      atMost: RollbackFile.maximumCount
    )
    let audit = Audit(vault: state, time: time)
    try state.write { _ in
      var mark = RollbackMark(epoch: try OpaqueID.make())
      let made = Timestamp(milliseconds: backup.header.createdAt).text
      audit.record(Self.restoring.name, target: made, outcome: AuditEntry.done, owner: 0)
      mark.auditHead = try audit.verifier.head() ?? 0
      try state.setRollbackRow(RollbackRow(mark: mark, replaced: content ?? []))
    }
  }

  private func putInPlace(_ built: String, _ isLiveWhole: Bool) throws {
    let path = live.path
    if isLiveWhole {
      try live.close()
    } else {
      live.forgetDatabase()
      DamagedState.keep(path)
    }
    // SQLite would apply a leftover WAL of the unreadable database to the new state.
    for ending in ["-wal", "-shm"] { unlink(path + ending) }
    let descriptor = open(built, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { Glibc.close(descriptor) }
    try AtomicFile.appear(descriptor, built, as: path)
  }

  private static func remove(_ building: String) {
    for name in ["mfad.db", "mfad.db-wal", "mfad.db-shm", "lock"] { unlink("\(building)/\(name)") }
    rmdir(building)
  }
}

extension Vault {
  /// True if there is a state and SQLite finds no damage in its file.
  ///
  /// Throws: an error that does not indicate damage, such as a lock of another process.
  func isWhole() throws -> Bool {
    guard access(path, F_OK) == 0 else { return false }
    do {
      let finding = try database.row("PRAGMA quick_check(1)") { $0.text(0) }
      return try finding == "ok" && meta(.proof) != nil
    } catch let error as SQLiteError where [.corrupt, .missing].contains(error.kind) { return false }
  }

  /// Truncates the WAL and closes the database.
  func close() throws {
    try emptyLog()
    forgetDatabase()
  }

  /// Returns the owners that the live state does not have, or that another owner with the same uid replaced
  /// there.
  fileprivate func ownersGoneFromLive() throws -> [uid_t] {
    try database.rows(
      """
      SELECT uid FROM main.owner AS o
        WHERE NOT EXISTS (SELECT 1 FROM live.owner AS l WHERE l.uid = o.uid AND l.created_at = o.created_at)
      """
    ) { uid_t(truncatingIfNeeded: $0.int(0)) }
  }
}

// The latest PIN stays valid, and also guards restored secrets. An owner's key is the same in both states, so
// the guard key that it wraps can be copied.

extension Vault {
  /// Copies PINs and their tries from the state that is attached as `live`.
  fileprivate func takePINsFromLive() throws {
    let guards = try database.rows(
      """
      SELECT owner, key FROM live.owner_guard JOIN live.owner_key USING (slot)
        WHERE owner IN (SELECT uid FROM main.owner)
      """
    ) { (owner: uid_t(truncatingIfNeeded: $0.int(0)), wrapped: $0.blob(1)) }
    for each in guards {
      try setGuardKey(each.wrapped, of: each.owner)
      try database.run("DELETE FROM pin WHERE owner = ?", SQLValue(each.owner))
    }
    try database.run("INSERT INTO pin SELECT * FROM live.pin WHERE owner IN (SELECT uid FROM main.owner)")
    pins.forgetAll()
  }

  /// Disables all PINs, because the number of tries since the backup is unknown.
  fileprivate func disablePINs() throws {
    for owner in try ownersWithPIN() { try setTries(PINTries.most, of: owner) }
  }
}
