internal import Glibc
internal import SQLite
internal import Time

// Rows of `erased_owner`: owners that are not yet erased from the backups.

/// An erased owner; the creation time distinguishes it from a later owner with the same uid.
struct ErasedOwner: Sendable {
  let uid: uid_t
  let createdAt: Int
  let erasedAt: Int

  /// Erases owners from a copy of the state; returns true if the copy contained rows of these owners.
  static func remove(_ erased: [ErasedOwner], from path: String) throws -> Bool {
    let database = try Database(path: path)
    var count = 0
    try database.transaction {
      for owner in erased { count += try owner.remove(from: database) }
    }
    try database.truncateLog()
    return count > 0
  }

  private func remove(from database: Database) throws -> Int {
    let (uid, createdAt) = (SQLValue(uid), SQLValue(createdAt))
    // Overwrites the keys first, while the rows that name their owner still exist.
    try database.run(
      """
      UPDATE owner_key SET key = zeroblob(60) WHERE slot IN
        (SELECT slot FROM (SELECT * FROM owner_slot UNION SELECT * FROM owner_guard) JOIN owner ON uid = owner
          WHERE owner = ? AND created_at = ?)
      """,
      uid,
      createdAt
    )
    let removals: [StaticString] = [
      "DELETE FROM owner_slot WHERE owner IN (SELECT uid FROM owner WHERE uid = ? AND created_at = ?)",
      "DELETE FROM owner_guard WHERE owner IN (SELECT uid FROM owner WHERE uid = ? AND created_at = ?)",
    ]
    for removal in removals { try database.run(removal, uid, createdAt) }
    let rows = try database.run("DELETE FROM owner WHERE uid = ? AND created_at = ?", uid, createdAt)
    return try rows + database.run("DELETE FROM audit WHERE owner = ? AND at <= ?", uid, SQLValue(erasedAt))
  }
}

extension Vault {
  /// Records the pending erasure from backups, in the transaction that erases the owner.
  func noteErasure(of owner: uid_t, at now: Timestamp) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO erased_owner
        VALUES (?1, coalesce((SELECT created_at FROM owner WHERE uid = ?1), -1), ?2)
      """,
      SQLValue(owner),
      SQLValue(now.milliseconds)
    )
  }

  func erasedOwners() throws -> [ErasedOwner] {
    try database.rows("SELECT * FROM erased_owner") { row in
      ErasedOwner(
        uid: uid_t(truncatingIfNeeded: row.int("uid")),
        createdAt: row.int("created_at"),
        erasedAt: row.int("erased_at")
      )
    }
  }

  func forget(_ erased: [ErasedOwner]) throws {
    try write { database in
      for owner in erased {
        try database.run(
          "DELETE FROM erased_owner WHERE uid = ? AND created_at = ? AND erased_at = ?",
          SQLValue(owner.uid),
          SQLValue(owner.createdAt),
          SQLValue(owner.erasedAt)
        )
      }
    }
  }
}
