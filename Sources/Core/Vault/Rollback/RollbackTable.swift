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

/// How far a state has come: an epoch, and how many changes were committed in it.
struct RollbackMark: Equatable {
  /// Random; a state that was put back begins another.
  var epoch: String
  var count = 0
  /// How many entries of the audit were ever sealed.
  var auditHead = 0

  var sealed: [String] { [epoch, count.digits(), auditHead.digits()] }
}

/// What the file outside the state says.
enum RollbackFile {
  case absent
  /// Nothing that this state's key has sealed.
  case foreign
  case mark(RollbackMark)

  /// More than any such file has.
  static let maximumCount = 256
}

extension Sealer {
  private static let name: StaticString = "rollback.file"

  func counterLine(_ mark: RollbackMark) throws -> [UInt8] { try line(Self.name, mark.sealed) }

  /// What a file says that has this content.
  func rollbackFile(_ content: [UInt8]) throws -> RollbackFile {
    guard !content.isEmpty else { return .absent }
    guard let words = try words(of: content, Self.name), words.count == 3,
      let count = Int(words[1]), let auditHead = Int(words[2])
    else { return .foreign }
    return .mark(RollbackMark(epoch: words[0], count: count, auditHead: auditHead))
  }
}
