package import Glibc
internal import SQLite
internal import Time

// Rows of `owner`, on which everything else of an owner hangs.

extension Vault {
  /// The owners whose state outlives the package.
  package var keptOwners: [uid_t] {
    get throws {
      try database.rows("SELECT uid FROM owner WHERE keep_on_reinstall = 1 ORDER BY uid") {
        uid_t(truncatingIfNeeded: $0.int(0))
      }
    }
  }

  func owners() throws -> [(uid: uid_t, createdAt: Timestamp)] {
    try database.rows("SELECT uid, created_at FROM owner ORDER BY uid") { row in
      (uid_t(truncatingIfNeeded: row.int("uid")), Timestamp(milliseconds: Int64(row.int("created_at"))))
    }
  }

  func insertOwner(_ owner: uid_t, at now: Timestamp) throws {
    try write {
      try $0.run(
        "INSERT OR IGNORE INTO owner (uid, created_at) VALUES (?, ?)",
        SQLValue(owner),
        SQLValue(now.milliseconds)
      )
    }
  }

  func setKeepsOnReinstall(_ keeps: Bool, of owner: uid_t) throws {
    try write {
      try $0.run("UPDATE owner SET keep_on_reinstall = ? WHERE uid = ?", SQLValue(keeps), SQLValue(owner))
    }
  }

  /// Removes every row of an owner.
  func eraseRows(of owner: uid_t) throws {
    try write { database in
      // The audit has no reference to the owner's row, since refused callers have entries too; all else goes with it.
      try eraseAudit(of: owner)
      try database.run("DELETE FROM owner WHERE uid = ?", SQLValue(owner))
    }
  }
}
