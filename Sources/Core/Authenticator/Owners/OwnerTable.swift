internal import ControlAPI
internal import Glibc
internal import SQLite
internal import Time

// Rows of `owner`, and with them everything that hangs on an owner.

extension Store {
  /// The owners with the number of their accounts that are in force, which needs no key.
  func owners() throws -> [Owner] {
    try database.rows(
      """
      SELECT uid, created_at,
        (SELECT count(*) FROM account WHERE account.owner = owner.uid AND account.state = 'active')
      FROM owner ORDER BY uid
      """
    ) { row in
      Owner(
        uid: uid_t(truncatingIfNeeded: row.int(0)),
        accounts: row.int(2),
        createdAt: Timestamp(milliseconds: Int64(row.int(1)))
      )
    }
  }

  /// What is stored, of all owners; the number of pushes is that of the last that was stored.
  func stock() throws -> ServiceFigures.Stock {
    let counts = try database.row(
      """
      SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM notification WHERE state = 'pending'),
        (SELECT seq FROM sqlite_sequence WHERE name = 'notification')
      """
    ) { (owners: $0.int(0), pending: $0.int(1), pushes: $0.int(2)) }
    return ServiceFigures.Stock(
      owners: counts?.owners ?? 0,
      pending: counts?.pending ?? 0,
      pushes: counts?.pushes ?? 0,
      databaseBytes: databaseSize
    )
  }

  /// The pushes of an owner that can still change; this needs no key.
  func openNotificationIDs(of owner: uid_t) throws -> [String] {
    try database.rows(
      "SELECT id FROM notification WHERE owner = ? AND state IN ('pending', 'sending')",
      SQLValue(owner)
    ) { $0.text(0) }
  }

  /// Removes every row of an owner.
  func eraseRows(of owner: uid_t) throws -> Erasure {
    defer { usedBytes[owner] = nil }
    return try transaction { database in
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
