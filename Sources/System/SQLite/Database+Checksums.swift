internal import CPageChecksums
internal import CSQLite

extension Database {
  /// Reserves space for a checksum in each page of a new file.
  func reservesChecksums() {
    var size = Int32(cpagechecksums_size)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &size)
  }

  /// Throws an error if the WAL is damaged before its last commit; no process may have the file open.
  public static func checkLog(of path: String) throws(SQLiteError) {
    if cpagechecksums_log_is_damaged(path) != 0 { throw SQLiteError(.corrupt) }
  }

  /// Returns the number of damaged pages of a file; `nil` if it is unreadable.
  ///
  /// Must be called on a worker thread, because it reads the whole file. It takes no lock, so it does not
  /// block other connections.
  public static func countDamagedPages(path: String) -> Int? {
    let count = cpagechecksums_count_damaged(path)
    return count < 0 ? nil : count
  }
}
