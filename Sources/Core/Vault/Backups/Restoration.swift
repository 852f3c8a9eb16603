internal import ControlAPI
public import EventLoop
internal import Glibc
public import OpenSSL
public import SQLite
internal import SystemCalls
public import Time

/// A backup that is put in the place of the state, while no daemon runs.
///
/// The new state is built apart and takes its place by one renaming: whatever ends this before, the old one is there.
@EventLoop
public struct Restoration {
  private let backup: OpenBackup
  /// The state that is there, and holds the directory.
  private let live: Vault
  private let places: KeyPlaces
  private let schema: DatabaseSchema
  private let time: TimeSource

  static let restoring = AutomaticAction("restoreBackup")

  /// Takes the directory, which is made if it is missing.
  public init(
    of backup: OpenBackup,
    into directory: String,
    keys places: KeyPlaces,
    schema: DatabaseSchema,
    time: TimeSource
  ) throws {
    (self.backup, self.places, self.schema, self.time) = (backup, places, schema, time)
    live = try Vault(directory: directory, keys: places, schema: schema)
  }

  /// Puts the backup in the place of the state; a key that a recovery key brings back is kept first.
  ///
  /// Returns whether there was a state from which the later values could be taken.
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
    let state = try Vault(directory: building, keys: KeyPlaces(directory: building), schema: schema)
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

  /// The key that opens the backup, of those that are here.
  private func key(
    _ isLiveWhole: Bool,
    _ recovery: RecoveryKey?,
    _ keep: (Secret) throws -> Void
  ) throws -> KeyEncryptionKey {
    if isLiveWhole {
      // Where that one is lost, "mfad --recover" brings it back first.
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

  /// Takes from the state that is there what of two values is the later, its audit, and who is gone from it.
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
    // The keys of the file as a whole are those that lie there now.
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

  /// From here on an older copy of what was there before is noticed, and of what is there now.
  private func beginEpoch(of state: Vault) throws {
    // One that is there and was not read would be told to be of an older copy at the next start.
    let content = try StableFile.read(
      RollbackCounter.directory(of: live.directory) + "/counter",
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
    // A log that is left belongs to what cannot be read, and would be taken for one of the new state.
    for ending in ["-wal", "-shm"] { unlink(path + ending) }
    let descriptor = open(built, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { Glibc.close(descriptor) }
    try StableFile.appear(descriptor, built, as: path)
  }

  private static func remove(_ building: String) {
    for name in ["mfad.db", "mfad.db-wal", "mfad.db-shm", "lock"] { unlink("\(building)/\(name)") }
    rmdir(building)
  }
}

extension Vault {
  /// Whether there is a state, and SQLite finds nothing wrong with its file.
  ///
  /// Throws: what says nothing of the file, as a lock of somebody else's.
  func isWhole() throws -> Bool {
    guard access(path, F_OK) == 0 else { return false }
    do {
      let finding = try database.row("PRAGMA quick_check(1)") { $0.text(0) }
      return try finding == "ok" && meta(.proof) != nil
    } catch let error as SQLiteError where error.kind == .corrupt { return false }
  }

  /// Lets the file go, with nothing left in its log.
  func close() throws {
    try emptyLog()
    forgetDatabase()
  }

  /// Owners who are not in another state, be it that somebody else began anew under their uid.
  fileprivate func ownersGoneFromLive() throws -> [uid_t] {
    try database.rows(
      """
      SELECT uid FROM main.owner AS o
        WHERE NOT EXISTS (SELECT 1 FROM live.owner AS l WHERE l.uid = o.uid AND l.created_at = o.created_at)
      """
    ) { uid_t(truncatingIfNeeded: $0.int(0)) }
  }
}

// A PIN is in force as it was last, also over secrets that are put back. Its owner's key is the same in both states, so
// that what it wraps can be carried over.

extension Vault {
  /// Takes over PINs, and the tries of them, from the state that is attached as `live`.
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

  /// Takes no PIN any more: how often each was tried since is not known.
  fileprivate func disablePINs() throws {
    for owner in try ownersWithPIN() { try setTries(PINTries.most, of: owner) }
  }
}
