internal import CLinux
internal import CPageChecksums
internal import CSQLite

/// A connection to a database file, for one thread.
///
/// Commits are durable (WAL with synchronous = FULL). SQLite overwrites deleted content and does not trust
/// the schema in the file. In a file that this class created, each page that it writes has a checksum. A read
/// of a page with a wrong checksum throws a corruption error.
public final class Database {
  public let handle: OpaquePointer
  // The key is the address of the statement's literal, which stays the same while the process runs.
  private var statements: [UnsafePointer<UInt8>: Statement] = [:]

  /// Time in milliseconds that a call waits for a lock of another process before it fails with busy.
  private static let busyTimeout: Int32 = 100

  /// Opens or creates the file; `:memory:` is a private database in memory.
  ///
  /// If `isImmutable`, no process may change the file. It then needs no WAL, and each write fails.
  public init(path: String, isImmutable: Bool = false) throws(SQLiteError) {
    var opened: OpaquePointer?
    let mode =
      isImmutable ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let name = isImmutable ? Self.immutableAddress(of: path) : path
    let code = sqlite3_open_v2(name, &opened, flags, cpagechecksums_vfs())
    guard let opened else { throw SQLiteError(code: SQLITE_NOMEM) }
    guard code == SQLITE_OK else {
      sqlite3_close_v2(opened)
      throw SQLiteError(code: code)
    }
    handle = opened
    sqlite3_busy_timeout(handle, Self.busyTimeout)
    // Checksums and incremental vacuum must be enabled before the file has pages.
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

  private static func immutableAddress(of path: String) -> String {
    let path = path.unicodeScalars.map { scalar in
      switch scalar {
      case "%": "%25"
      case "?": "%3f"
      case "#": "%23"
      default: String(scalar)
      }
    }
    return "file:\(path.joined())?immutable=1"
  }

  /// True if the file cannot be written through this connection.
  public var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  private static let pragmas: [StaticString] = [
    "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON", "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA temp_store = MEMORY",
  ]

  /// Runs statements without parameters and results.
  public func executeScript(_ script: StaticString) throws(SQLiteError) {
    let code = withErrnoCleared {
      script.utf8Start.withMemoryRebound(to: CChar.self, capacity: script.utf8CodeUnitCount + 1) {
        sqlite3_exec(handle, $0, nil, nil, nil)
      }
    }
    guard code == SQLITE_OK else { throw SQLiteError(of: handle) }
  }

  /// Runs a statement and returns the number of changed rows.
  @discardableResult
  public func run(_ sql: StaticString, _ values: SQLValue...) throws(SQLiteError) -> Int {
    let statement = try prepare(sql, values)
    defer { statement.reset() }
    while try statement.step() {}
    return Int(sqlite3_changes64(handle))
  }

  /// Runs a statement and reads each of its rows.
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

  /// Runs a statement and reads its first row; returns `nil` if there is no row.
  public func row<R>(
    _ sql: StaticString,
    _ values: SQLValue...,
    read: (Row) -> R
  ) throws(SQLiteError) -> R? {
    let statement = try prepare(sql, values)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let result = read(Row(statement))
    // A statement with a RETURNING clause must be stepped to its end.
    while try statement.step() {}
    return result
  }

  /// True if a transaction is open; some errors roll a transaction back automatically.
  public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Starts a transaction, which takes the write lock immediately.
  public func begin() throws(SQLiteError) { try run("BEGIN IMMEDIATE") }

  /// Commits the transaction; its changes are on the disk when this returns.
  public func commit() throws(SQLiteError) {
    do { try run("COMMIT") } catch {
      rollBack()
      overwriteUndone()
      throw error
    }
  }

  /// Overwrites the start of a rolled-back transaction in the WAL.
  ///
  /// If only the flush of the commit failed, all frames of the transaction may be in the WAL. At the next
  /// start, SQLite would treat them as committed.
  private func overwriteUndone() {
    guard let version = try? row("PRAGMA user_version", read: { $0.int(0) }) else { return }
    try? setVersion(version)
  }

  /// Rolls back the open transaction, if any.
  public func rollBack() {
    if isInTransaction { _ = try? run("ROLLBACK") }
  }

  /// Runs a part of the open transaction in a savepoint, which is rolled back on an error.
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

  /// Runs a transaction; its changes are on the disk when this returns, or rolled back on an error.
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

  /// Checkpoints the WAL into the main file and truncates the WAL, so that neither file has deleted content.
  public func truncateLog() throws(SQLiteError) {
    // A reader in another process blocks the truncation. SQLite reports that as a row, not as an error.
    let isBlocked = try row("PRAGMA wal_checkpoint(TRUNCATE)") { $0.flag(0) } ?? true
    guard !isBlocked else { throw SQLiteError(.busy) }
  }

  /// Returns the number of pages of the file and of free pages.
  public func pageCounts() throws(SQLiteError) -> (all: Int, free: Int) {
    let all = try row("PRAGMA page_count") { $0.int(0) } ?? 0
    return (all, try row("PRAGMA freelist_count") { $0.int(0) } ?? 0)
  }

  /// Releases the memory of cached pages and statements; must not be called while a statement runs.
  public func releaseMemory() {
    statements = [:]
    sqlite3_db_release_memory(handle)
    clinux_give_back_what_is_free()
  }

  /// Returns up to 64 free pages to the file system.
  public func releaseFreePages() throws(SQLiteError) { try run("PRAGMA incremental_vacuum(64)") }

  /// Writes the schema version; a pragma cannot have bound values.
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
