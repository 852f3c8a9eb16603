internal import SQLite

// The row of `rollback`: how far this copy of the state has come.

/// The row, with what it began over.
struct RollbackRow: Equatable {
  var mark: RollbackMark
  /// What the file outside held, or nothing, when the epoch began; `nil` once the file has followed.
  var replaced: [UInt8]?
}

extension Vault {
  /// The row, if an epoch has begun; `nil` in it is a row that somebody without the key wrote.
  func rollbackRow() throws -> RollbackRow?? {
    let stored = try database.row("SELECT * FROM rollback") { row in
      let mark = RollbackMark(
        epoch: row.text("epoch"),
        count: row.int("count"),
        auditHead: row.int("audit_head")
      )
      return (row: RollbackRow(mark: mark, replaced: row.optionalBlob("replaced")), seal: row.blob("seal"))
    }
    guard let stored else { return nil }
    return .some(try sealer.seal(stored.row) == stored.seal ? stored.row : nil)
  }

  func setRollbackRow(_ row: RollbackRow) throws {
    try database.run(
      "INSERT OR REPLACE INTO rollback VALUES (1, ?, ?, ?, ?, ?)",
      .text(row.mark.epoch),
      SQLValue(row.mark.count),
      SQLValue(row.mark.auditHead),
      SQLValue(row.replaced),
      .blob(sealer.seal(row))
    )
  }
}

extension Sealer {
  fileprivate func seal(_ row: RollbackRow) throws -> [UInt8] {
    try digest("rollback.row", row.mark.sealed + [row.replaced.map { "\($0)" } ?? "followed"])
  }
}
