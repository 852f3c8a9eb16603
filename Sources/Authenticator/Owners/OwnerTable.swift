internal import Glibc
internal import SQLite

// Rows of `owner`, and with them everything that hangs on an owner.

extension Store {
  /// The pushes of an owner that can still change; this needs no key.
  func openNotificationIDs(of owner: uid_t) throws -> [String] {
    try database.rows(
      "SELECT id FROM notification WHERE owner = ? AND state IN ('pending', 'sending')",
      SQLValue(owner)
    ) { $0.text(0) }
  }

  /// Removes every row of an owner.
  func eraseRows(of owner: uid_t) throws -> Erasure {
    try transaction { database in
      let notifications =
        try database.row("SELECT count(*) FROM notification WHERE owner = ?", SQLValue(owner)) { $0.int(0) }
        ?? 0
      let erasure = Erasure(accounts: try activeCount(of: owner), notifications: notifications)
      // What has no reference to the owner's row; all else goes with that row.
      try database.run("DELETE FROM audit WHERE owner = ?", SQLValue(owner))
      try database.run("DELETE FROM owner WHERE uid = ?", SQLValue(owner))
      return erasure
    }
  }

  /// Leaves nothing of deleted rows in the files.
  ///
  /// SQLite overwrites what it deletes, but pages that were balanced before may hold older copies of it: only a
  /// file that is written anew is free of them.
  func shred() throws {
    let database = try database
    try database.rebuild()
    try database.truncateLog()
  }
}
