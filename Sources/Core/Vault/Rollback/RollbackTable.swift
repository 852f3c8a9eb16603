internal import SQLite

// The row of `rollback`: the rollback counter of this copy of the state.

/// The row, with the file content at the start of the epoch.
struct RollbackRow: Equatable {
  var mark: RollbackMark
  /// The content of the file when the epoch began; nil once the file has this epoch.
  ///
  /// Empty if there was no file.
  var replaced: [UInt8]?
}

extension Vault {
  /// Returns the row; nil if no epoch has begun.
  ///
  /// The inner optional is nil if the row has no valid seal.
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

  /// Returns the number of audit entries that the rollback counter has sealed.
  func sealedAuditHead() throws -> Int {
    if let head = counter?.auditHead { return head }
    guard let row = try rollbackRow(), let row else { return 0 }
    return row.mark.auditHead
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

/// The position of a state: an epoch, and the number of changes committed in it.
struct RollbackMark: Equatable {
  /// A random id; a restored state begins a new epoch.
  var epoch: String
  var count = 0
  /// Number of audit entries that were ever sealed.
  var auditHead = 0

  var sealed: [String] { [epoch, count.digits(), auditHead.digits()] }
}

/// The content of the file outside the state directory.
enum RollbackFile {
  case absent
  /// The content has no valid seal of this state's key.
  case foreign
  case mark(RollbackMark)

  /// Maximum number of bytes to read, more than any such file has.
  static let maximumCount = 256
}

extension Sealer {
  private static let name: StaticString = "rollback.file"

  func counterLine(_ mark: RollbackMark) throws -> [UInt8] { try line(Self.name, mark.sealed) }

  /// Parses the content of the file.
  func rollbackFile(_ content: [UInt8]) throws -> RollbackFile {
    guard !content.isEmpty else { return .absent }
    guard let words = try words(of: content, Self.name), words.count == 3,
      let count = Int(words[1]), let auditHead = Int(words[2])
    else { return .foreign }
    return .mark(RollbackMark(epoch: words[0], count: count, auditHead: auditHead))
  }
}
