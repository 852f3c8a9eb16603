internal import EventLoop
internal import Glibc
internal import OpenSSL
internal import SQLite
internal import Time
internal import Vault

// Rows of `identity_key`, and the replacement of a key pair.

extension IdentityTable {
  /// Returns the key pair with this ID, or `nil` if it is missing or cannot be unsealed.
  func keys(_ keyID: String, of identity: Identity) throws -> IdentityKeys? {
    let owner = identity.owner
    return try opening(keyID, of: identity) { device, row, key in
      let answer = GuardedSecret(row.blob("answer_key"), isGuarded: row.flag("is_guarded"))
      let label = Self.answerKeyLabel(keyID, owner)
      return IdentityKeys(
        device: device,
        answer: try vault.sealer.isOpen(owner)
          ? PrivateKey(p256Scalar: vault.sealer.open(answer, beside: key, as: label)) : nil
      )
    }
  }

  /// Returns only the device key, even of a locked owner; `nil` if it is missing or cannot be unsealed.
  func deviceKey(_ keyID: String, of identity: Identity) throws -> PrivateKey? {
    try opening(keyID, of: identity) { device, _, _ in device }
  }

  /// Unseals a device key and passes it to `body` with the pair's row and data key.
  private func opening<R>(
    _ keyID: String,
    of identity: Identity,
    _ body: (PrivateKey, Row, DataKey) throws -> R
  ) throws -> R? {
    let row = try vault.database.row(
      """
      SELECT data_key, device_key, answer_key, is_guarded FROM identity_key JOIN identity ON identity.id = identity_key.identity
      WHERE identity_key.key_id = ? AND identity = ?
      """,
      .text(keyID),
      .text(identity.id)
    ) { $0 }
    guard let row else { return nil }
    let owner = identity.owner
    return try vault.sealer.unlessDamaged("identity", of: owner) {
      let key = try vault.sealer.dataKey(
        unwrapping: row.blob("data_key"),
        Self.dataKeyLabel(identity.id, owner)
      )
      let device = try key.openSecret(row.blob("device_key"), as: Self.deviceKeyLabel(keyID, owner))
      return try body(PrivateKey(p256Scalar: device), row, key)
    }
  }

  func insertKeys(_ keys: IdentityKeys, of identity: String, owner: uid_t) throws {
    let wrapped = try vault.database.row("SELECT data_key FROM identity WHERE id = ?", .text(identity)) {
      $0.blob(0)
    }
    let key = try vault.sealer.dataKey(unwrapping: wrapped ?? [], Self.dataKeyLabel(identity, owner))
    let id = keys.deviceThumbprint
    try vault.write {
      let answer = try vault.sealer.seal(
        keys.answer.scalar,
        guardedBeside: key,
        as: Self.answerKeyLabel(id, owner)
      )
      try $0.run(
        "INSERT INTO identity_key (key_id, identity, device_key, answer_key, is_guarded) VALUES (?, ?, ?, ?, ?)",
        .text(id),
        .text(identity),
        .blob(try key.seal(keys.device.scalar, as: Self.deviceKeyLabel(id, owner))),
        .blob(answer.sealed),
        SQLValue(answer.isGuarded)
      )
    }
  }

  /// Guards each of an owner's answer keys that is not guarded yet.
  func guardAnswerKeys(of owner: uid_t) throws {
    let rows = try vault.database.rows(
      """
      SELECT identity_key.key_id, identity.id, data_key, answer_key
      FROM identity_key JOIN identity ON identity.id = identity_key.identity
      WHERE owner = ? AND is_guarded = 0
      """,
      SQLValue(owner)
    ) { (id: $0.text(0), identity: $0.text(1), wrapped: $0.blob(2), sealed: $0.blob(3)) }
    for row in rows {
      let label = Self.answerKeyLabel(row.id, owner)
      try vault.sealer.unlessDamaged("identity", of: owner) {
        let key = try vault.sealer.dataKey(unwrapping: row.wrapped, Self.dataKeyLabel(row.identity, owner))
        let scalar = try key.openSecret(row.sealed, as: label)
        let answer = try vault.sealer.seal(scalar, guardedBeside: key, as: label)
        try vault.write {
          try $0.run(
            "UPDATE identity_key SET answer_key = ?, is_guarded = ? WHERE key_id = ?",
            .blob(answer.sealed),
            SQLValue(answer.isGuarded),
            .text(row.id)
          )
        }
      }
    }
  }

  private nonisolated static func deviceKeyLabel(_ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel("identity.device_key", row: id, owner: owner)
  }

  private nonisolated static func answerKeyLabel(_ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel("identity.answer_key", row: id, owner: owner)
  }

  /// Stores the keys of a rotation before they are sent to the platform.
  func setNextKeys(_ keys: IdentityKeys, of identity: Identity) throws {
    try change(identity.owner) { database in
      try insertKeys(keys, of: identity.id, owner: identity.owner)
      try database.run(
        "UPDATE identity SET next_key_id = ? WHERE id = ?",
        .text(keys.deviceThumbprint),
        .text(identity.id)
      )
    }
  }

  /// Drops a rotation that the platform refused.
  func dropNextKeys(of identity: Identity) throws {
    try change(identity.owner) { database in
      try database.run("UPDATE identity SET next_key_id = NULL WHERE id = ?", .text(identity.id))
      try dropUnusedKeys(database, of: identity)
    }
  }

  /// Stores that the platform has accepted the keys of a rotation.
  func adoptNextKeys(of identity: Identity, at now: Timestamp) throws {
    try change(identity.owner) { database in
      try database.run(
        """
        UPDATE identity SET key_id = next_key_id, next_key_id = NULL, keys_made_at = ?
        WHERE id = ? AND next_key_id IS NOT NULL
        """,
        SQLValue(now.milliseconds),
        .text(identity.id)
      )
      try dropUnusedKeys(database, of: identity)
    }
  }

  /// Resets an identity that the platform has forgotten: new keys, no device ID, no trust.
  func reset(_ identity: Identity, at now: Timestamp) throws {
    let keys = try IdentityKeys.generate()
    try change(identity.owner) { database in
      try insertKeys(keys, of: identity.id, owner: identity.owner)
      try database.run(
        """
        UPDATE identity SET key_id = ?, next_key_id = NULL, keys_made_at = ?, device_id = NULL, issuers = '[]',
          push_registered = 0, cursor = NULL
        WHERE id = ?
        """,
        .text(keys.deviceThumbprint),
        SQLValue(now.milliseconds),
        .text(identity.id)
      )
      try dropUnusedKeys(database, of: identity)
    }
  }

  private func dropUnusedKeys(_ database: Database, of identity: Identity) throws {
    try database.run(
      """
      DELETE FROM identity_key WHERE identity = ?1 AND key_id NOT IN (
        SELECT key_id FROM identity WHERE id = ?1
        UNION SELECT next_key_id FROM identity WHERE id = ?1 AND next_key_id IS NOT NULL)
      """,
      .text(identity.id)
    )
  }
}
