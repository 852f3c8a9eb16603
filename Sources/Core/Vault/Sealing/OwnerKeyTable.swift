internal import EventLoop
internal import Glibc
internal import SQLite

// Rows of `owner_key`, `owner_slot` and `owner_guard`.

extension Vault {
  /// Returns the wrapped key of an owner, if there is one.
  func ownerKey(of owner: uid_t) throws -> [UInt8]? {
    try database.row(
      "SELECT key FROM owner_key JOIN owner_slot USING (slot) WHERE owner = ?",
      SQLValue(owner)
    ) { $0.blob(0) }
  }

  /// Returns the wrapped keys of all owners with their slots.
  func ownerKeys() throws -> [(owner: uid_t, slot: Int, wrapped: [UInt8])] {
    try database.rows("SELECT owner, slot, key FROM owner_key JOIN owner_slot USING (slot)") { row in
      (uid_t(truncatingIfNeeded: row.int(0)), row.int(1), row.blob(2))
    }
  }

  /// Overwrites a slot with a key; the caller must have opened a transaction.
  func setOwnerKey(_ wrapped: [UInt8], in slot: Int) throws {
    try database.run("UPDATE owner_key SET key = ? WHERE slot = ?", .blob(wrapped), SQLValue(slot))
  }

  func insertOwnerKey(_ wrapped: [UInt8], of owner: uid_t) throws {
    try write { database in
      let slot = try takeSlot(for: wrapped, database)
      try database.run("INSERT INTO owner_slot (owner, slot) VALUES (?, ?)", SQLValue(owner), SQLValue(slot))
    }
  }

  private func takeSlot(for wrapped: [UInt8], _ database: Database) throws -> Int {
    let free = try database.row("SELECT slot FROM owner_key WHERE key = zeroblob(60) LIMIT 1") { $0.int(0) }
    // SQLite appends the new slot, so no existing slot moves within the file.
    let slot =
      try free ?? database.row(
        "INSERT INTO owner_key (key) VALUES (zeroblob(60)) RETURNING slot"
      ) { $0.int(0) } ?? 0
    try setOwnerKey(wrapped, in: slot)
    return slot
  }

  func destroyOwnerKey(of owner: uid_t) throws {
    try write { database in
      try database.run(
        """
        UPDATE owner_key SET key = zeroblob(60) WHERE slot IN (
          SELECT slot FROM owner_slot WHERE owner = ?1 UNION SELECT slot FROM owner_guard WHERE owner = ?1)
        """,
        SQLValue(owner)
      )
      try database.run("DELETE FROM owner_slot WHERE owner = ?", SQLValue(owner))
      try database.run("DELETE FROM owner_guard WHERE owner = ?", SQLValue(owner))
    }
  }

  // MARK: Guard keys

  /// Returns the wrapped guard key of an owner, if there is one.
  func guardKey(of owner: uid_t) throws -> [UInt8]? {
    try database.row(
      "SELECT key FROM owner_key JOIN owner_guard USING (slot) WHERE owner = ?",
      SQLValue(owner)
    ) { $0.blob(0) }
  }

  /// Overwrites the guard key of an owner, or adds it.
  func setGuardKey(_ wrapped: [UInt8], of owner: uid_t) throws {
    try write { database in
      let known = try database.row("SELECT slot FROM owner_guard WHERE owner = ?", SQLValue(owner)) {
        $0.int(0)
      }
      if let known { return try setOwnerKey(wrapped, in: known) }
      let slot = try takeSlot(for: wrapped, database)
      try database.run("INSERT INTO owner_guard (owner, slot) VALUES (?, ?)", SQLValue(owner), SQLValue(slot))
    }
  }
}
