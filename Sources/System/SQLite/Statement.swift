internal import CSQLite

/// A prepared statement; it can be run repeatedly, but not concurrently.
final class Statement {
  private let handle: OpaquePointer
  /// The positions of the columns by name.
  private(set) lazy var positions = Dictionary(
    (0..<columnCount).compactMap { column in
      sqlite3_column_name(handle, column).map { (String(cString: $0), Int(column)) }
    },
    uniquingKeysWith: { first, _ in first }
  )

  init(owning handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  func bind(_ values: [SQLValue]) throws(SQLiteError) {
    for (index, value) in values.enumerated() {
      let position = Int32(index + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, position)
        case .integer(let number): sqlite3_bind_int64(handle, position, number)
        case .text(let text):
          sqlite3_bind_text(handle, position, text, Int32(text.utf8.count), csqlite_transient())
        case .blob(let bytes): bind(bytes, at: position)
        }
      guard code == SQLITE_OK else { throw SQLiteError(code: code) }
    }
  }

  private func bind(_ bytes: [UInt8], at position: Int32) -> Int32 {
    // A null pointer would store NULL instead of an empty blob.
    guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, position, 0) }
    return bytes.withUnsafeBytes {
      sqlite3_bind_blob(handle, position, $0.baseAddress, Int32($0.count), csqlite_transient())
    }
  }

  /// Runs the statement to its next row; returns false at its end.
  func step() throws(SQLiteError) -> Bool {
    switch withErrnoCleared({ sqlite3_step(handle) }) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw SQLiteError(of: sqlite3_db_handle(handle))
    }
  }

  /// Prepares the statement for its next run and clears the bound values.
  func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  func value(at column: Int32) -> SQLValue {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, column))
    case SQLITE_TEXT:
      .text(
        String(
          decoding: UnsafeBufferPointer(
            start: sqlite3_column_text(handle, column),
            count: Int(sqlite3_column_bytes(handle, column))
          ),
          as: UTF8.self
        )
      )
    case SQLITE_BLOB:
      .blob(
        Array(
          UnsafeRawBufferPointer(
            start: sqlite3_column_blob(handle, column),
            count: Int(sqlite3_column_bytes(handle, column))
          )
        )
      )
    default: .null
    }
  }

  var columnCount: Int32 { sqlite3_column_count(handle) }
}
