internal import CLinux
internal import CPageChecksums
internal import CSQLite

/// One connection to one database file, for one thread.
///
/// Durable (WAL with FULL synchronisation), erasing what is deleted, distrusting what the file itself defines. Each page
/// of the file has a checksum: one that is not as it was written is told as corrupt whenever it is read.
public final class Database {
  public let handle: OpaquePointer
  // Literals live as long as the program, so their addresses name them.
  private var statements: [UnsafePointer<UInt8>: Statement] = [:]

  /// How long a call waits for a lock of another process before it fails as busy, in milliseconds.
  private static let busyTimeout: Int32 = 100

  /// Opens or makes the file; `:memory:` is a database that nobody else sees.
  public init(path: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(path, &opened, flags, cpagechecksums_vfs())
    guard let opened else { throw SQLiteError(code: SQLITE_NOMEM) }
    guard code == SQLITE_OK else {
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code)
    }
    handle = opened
    sqlite3_busy_timeout(handle, Self.busyTimeout)
    // That pages have checksums and can be given back is decided before a file has any.
    if try pageCounts().all == 0 {
      reservesChecksums()
      try executeScript("PRAGMA auto_vacuum = INCREMENTAL")
    }
    for pragma in Self.pragmas { try executeScript(pragma) }
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  private static let pragmas: [StaticString] = [
    "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON", "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA temp_store = MEMORY",
  ]

  /// Runs statements that take and answer nothing.
  public func executeScript(_ script: StaticString) throws(SQLiteError) {
    let code = withErrnoCleared {
      script.utf8Start.withMemoryRebound(to: CChar.self, capacity: script.utf8CodeUnitCount + 1) {
        sqlite3_exec(handle, $0, nil, nil, nil)
      }
    }
    guard code == SQLITE_OK else { throw SQLiteError(of: handle) }
  }

  /// Runs one statement and returns how many rows it changed.
  @discardableResult
  public func run(_ sql: StaticString, _ values: SQLValue...) throws(SQLiteError) -> Int {
    let statement = try prepare(sql, values)
    defer { statement.reset() }
    while try statement.step() {}
    return Int(sqlite3_changes64(handle))
  }

  /// Runs one statement and reads each of its rows.
  public func rows<R>(
    _ sql: StaticString,
    _ values: SQLValue...,
    read: (Row) -> R
  ) throws(SQLiteError) -> [R] {
    let statement = try prepare(sql, values)
    defer { statement.reset() }
    var results: [R] = []
    while try statement.step() { results.append(read(Row(statement))) }
    return results
  }

  /// Runs one statement and reads its first row, if there is one.
  public func row<R>(
    _ sql: StaticString,
    _ values: SQLValue...,
    read: (Row) -> R
  ) throws(SQLiteError) -> R? {
    let statement = try prepare(sql, values)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let result = read(Row(statement))
    // A statement that changes rows and returns them is only done when it has been run to its end.
    while try statement.step() {}
    return result
  }

  /// Whether a transaction is open; some failures end one by themselves.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Opens a transaction, which has the lock for writing from its beginning.
  public func begin() throws(SQLiteError) { try run("BEGIN IMMEDIATE") }

  /// Ends the transaction; what was done in it is on the disk when this returns.
  public func commit() throws(SQLiteError) {
    do { try run("COMMIT") } catch {
      rollBack()
      overwriteUndone()
      throw error
    }
  }

  /// Writes over the beginning of what was undone, which may stand in the log whole if only its flush failed: the next
  /// start would take it for something that was committed.
  private func overwriteUndone() {
    guard let version = try? row("PRAGMA user_version", read: { $0.int(0) }) else { return }
    try? setVersion(version)
  }

  /// Undoes the transaction, if one is open.
  public func rollBack() {
    if isInTransaction { _ = try? run("ROLLBACK") }
  }

  /// Does all or nothing of a part of the transaction that is open.
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try run("SAVEPOINT part")
    do {
      let result = try body()
      try run("RELEASE part")
      return result
    } catch {
      if isInTransaction {
        try run("ROLLBACK TO part")
        try run("RELEASE part")
      }
      throw error
    }
  }

  /// Does all or nothing; what it did is on the disk when it returns.
  public func transaction<R>(_ body: () throws -> R) throws -> R {
    try begin()
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Moves everything into the main file and empties the log, so that what was deleted is gone from both.
  public func truncateLog() throws(SQLiteError) {
    // Another process that is reading keeps the log; this is no failure of the statement, but an answer.
    let isBlocked = try row("PRAGMA wal_checkpoint(TRUNCATE)") { $0.flag(0) } ?? true
    guard !isBlocked else { throw SQLiteError(.busy) }
  }

  /// How many pages the file has, and how many of them are free.
  public func pageCounts() throws(SQLiteError) -> (all: Int, free: Int) {
    let all = try row("PRAGMA page_count") { $0.int(0) } ?? 0
    return (all, try row("PRAGMA freelist_count") { $0.int(0) } ?? 0)
  }

  /// Gives the memory back of what is kept to be used again: pages that were read, and statements; not within one.
  public func releaseMemory() {
    statements = [:]
    sqlite3_db_release_memory(handle)
    clinux_give_back_what_is_free()
  }

  /// Gives some free pages back to the file system.
  public func releaseFreePages() throws(SQLiteError) { try run("PRAGMA incremental_vacuum(64)") }

  /// Writes the number of the layout; a pragma takes no bound values.
  func setVersion(_ version: Int) throws(SQLiteError) {
    let code = withErrnoCleared { sqlite3_exec(handle, "PRAGMA user_version = \(version)", nil, nil, nil) }
    guard code == SQLITE_OK else { throw SQLiteError(of: handle) }
  }

  private func prepare(_ sql: StaticString, _ values: [SQLValue]) throws(SQLiteError) -> Statement {
    let statement = try cached(sql)
    do { try statement.bind(values) } catch {
      statement.reset()
      throw error
    }
    return statement
  }

  private func cached(_ sql: StaticString) throws(SQLiteError) -> Statement {
    if let statement = statements[sql.utf8Start] { return statement }
    var prepared: OpaquePointer?
    let length = Int32(sql.utf8CodeUnitCount)
    let code = withErrnoCleared {
      sql.utf8Start.withMemoryRebound(to: CChar.self, capacity: sql.utf8CodeUnitCount + 1) {
        sqlite3_prepare_v3(handle, $0, length, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
      }
    }
    guard code == SQLITE_OK, let prepared else { throw SQLiteError(of: handle) }
    let statement = Statement(owning: prepared)
    statements[sql.utf8Start] = statement
    return statement
  }
}
