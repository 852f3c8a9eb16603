internal import CSQLite

/// A copy of a database into a file of its own, made a few pages at a time.
///
/// What the connection changes meanwhile is in the copy too; nobody waits for it, and it waits for nobody.
public final class DatabaseCopy {
  private let source: Database
  private let target: OpaquePointer
  private let backup: OpaquePointer

  /// About a quarter of a mebibyte.
  private static let pagesOfStep: Int32 = 64

  /// Begins a copy into a file that is not there yet.
  ///
  /// The copy is not brought onto the disk: whoever makes something of it does that with what they make.
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

  /// Copies some pages, unless the connection is about to change something; whether all are copied.
  public func step() throws(SQLiteError) -> Bool {
    let code = sqlite3_backup_step(backup, Self.pagesOfStep)
    switch code & 0xFF {
    case SQLITE_DONE: return true
    case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
    default: throw SQLiteError(code: code)
    }
  }
}
