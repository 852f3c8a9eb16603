internal import EventLoop
internal import Glibc
internal import OpenSSL
internal import SQLite
internal import Time
internal import Vault

// Rows of `identity_key`, and how one pair takes the place of another.

extension IdentityTable {
  /// The pair of keys of that id; `nil` if it is gone or does not open.
  func keys(_ keyID: String, of identity: Identity) throws -> IdentityKeys? {
    let row = try vault.database.row(
      """
      SELECT data_key, device_key, answer_key FROM identity_key JOIN identity ON identity.id = identity_key.identity
      WHERE identity_key.key_id = ? AND identity = ?
      """,
      .text(keyID),
      .text(identity.id)
    ) { $0 }
    guard let row else { return nil }
    return try vault.sealer.unlessDamaged("identity", of: identity.owner) {
      let key = try vault.sealer.dataKey(
        unwrapping: row.blob("data_key"),
        Self.dataKeyLabel(identity.id, identity.owner)
      )
      func open(_ column: Row.Column, _ name: StaticString) throws -> PrivateKey {
        try PrivateKey(
          p256Scalar: key.openSecret(row.blob(column), as: SealLabel(name, row: keyID, owner: identity.owner))
        )
      }
      return IdentityKeys(
        device: try open("device_key", "identity.device_key"),
        answer: try open("answer_key", "identity.answer_key")
      )
    }
  }

  func insertKeys(_ keys: IdentityKeys, of identity: String, owner: uid_t) throws {
    let wrapped = try vault.database.row("SELECT data_key FROM identity WHERE id = ?", .text(identity)) {
      $0.blob(0)
    }
    let key = try vault.sealer.dataKey(unwrapping: wrapped ?? [], Self.dataKeyLabel(identity, owner))
    let id = keys.deviceThumbprint
    try vault.write {
      try $0.run(
        "INSERT INTO identity_key (key_id, identity, device_key, answer_key) VALUES (?, ?, ?, ?)",
        .text(id),
        .text(identity),
        .blob(
          try key.seal(keys.device.scalar, as: SealLabel("identity.device_key", row: id, owner: owner))
        ),
        .blob(try key.seal(keys.answer.scalar, as: SealLabel("identity.answer_key", row: id, owner: owner)))
      )
    }
  }

  /// Stores the keys of a rotation before the platform hears of them.
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

  /// Gives up a rotation that the platform refused.
  func dropNextKeys(of identity: Identity) throws {
    try change(identity.owner) { database in
      try database.run("UPDATE identity SET next_key_id = NULL WHERE id = ?", .text(identity.id))
      try dropUnusedKeys(database, of: identity)
    }
  }

  /// Stores that the platform took the keys of a rotation.
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

  /// Makes an identity that the platform has forgotten one that it has never heard of.
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
