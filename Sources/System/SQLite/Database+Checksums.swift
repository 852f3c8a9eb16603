internal import CPageChecksums
internal import CSQLite

extension Database {
  /// Keeps room in each page of a file that is written anew.
  func reservesChecksums() {
    var size = Int32(cpagechecksums_size)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &size)
  }

  /// Refuses a file whose log is damaged before what was committed last; for a file that nobody has open.
  public static func checkLog(of path: String) throws(SQLiteError) {
    if cpagechecksums_log_is_damaged(path) != 0 { throw SQLiteError(.corrupt) }
  }

  /// How many pages of a file are not as they were written, `nil` if it cannot be read.
  ///
  /// For a thread of its own: the whole file is read, without a lock that others would wait for.
  public static func countDamagedPages(path: String) -> Int? {
    let count = cpagechecksums_count_damaged(path)
    return count < 0 ? nil : count
  }
}
