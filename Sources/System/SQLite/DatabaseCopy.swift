internal import CSQLite

/// A copy of a database in another file, made in steps of a few pages.
///
/// The connection can change the database between the steps, and the copy includes these changes.
public final class DatabaseCopy {
  private let source: Database
  private let target: OpaquePointer
  private let backup: OpaquePointer

  /// 64 pages, about 256 KiB.
  private static let pagesOfStep: Int32 = 64

  /// Starts a copy into a file that must not exist.
  ///
  /// The copy is not flushed to the disk. The caller makes another file from the copy and flushes that file.
  public init(of source: Database, to path: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else { throw SQLiteError(code: SQLITE_NOMEM) }
    guard code == SQLITE_OK else {
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code)
    }
    sqlite3_exec(opened, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", nil, nil, nil)
    guard let backup = sqlite3_backup_init(opened, "main", source.handle, "main") else {
      let code = sqlite3_extended_errcode(opened)
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code)
    }
    (self.source, target, self.backup) = (source, opened, backup)
  }

  deinit {
    sqlite3_backup_finish(backup)
    sqlite3_close_v2(target)
  }

  /// Copies some pages, unless the connection holds the write lock; returns true if all pages are copied.
  public func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_backup_step(backup, Self.pagesOfStep)
    switch code & 0xFF {
    case SQLITE_DONE: return true
    case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
    default: throw SQLiteError(code: code)
    }
  }
}
