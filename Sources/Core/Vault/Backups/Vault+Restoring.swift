internal import EventLoop
internal import Glibc
internal import SQLite

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
  func ownersGoneFromLive() throws -> [uid_t] {
    try database.rows(
      """
      SELECT uid FROM main.owner AS o
        WHERE NOT EXISTS (SELECT 1 FROM live.owner AS l WHERE l.uid = o.uid AND l.created_at = o.created_at)
      """
    ) { uid_t(truncatingIfNeeded: $0.int(0)) }
  }
}
