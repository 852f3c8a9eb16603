internal import ControlAPI
internal import Glibc
internal import SQLite
internal import Time

// Rows of `audit`.

extension Vault {
  /// Interval in sequence numbers at which old entries are trimmed.
  private static let auditTrimInterval = 256

  func insertAudit(_ entry: AuditEntry) throws {
    try write { _ in
      var opened = try continuedAuditChain(of: entry.owner)
      let sequence = try append(entry, to: &opened)
      store(opened)
      if sequence % Self.auditTrimInterval == 0 { try trimAudit(of: entry.owner) }
    }
  }

  /// Returns entries, newest first, of one owner or of all, before a sequence number if one is given.
  func auditEntries(of owner: uid_t?, before sequence: Int?, limit: Int) throws -> [AuditEntry] {
    let (before, limit) = (SQLValue(sequence ?? .max), SQLValue(limit))
    guard let owner else {
      return try database.rows(
        "SELECT * FROM audit WHERE sequence < ? ORDER BY sequence DESC LIMIT ?",
        before,
        limit,
        read: Self.auditEntry
      )
    }
    return try database.rows(
      "SELECT * FROM audit WHERE owner = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?",
      SQLValue(owner),
      before,
      limit,
      read: Self.auditEntry
    )
  }

  nonisolated static func auditEntry(_ row: Row) -> AuditEntry {
    AuditEntry(
      id: row.text("id"),
      at: Timestamp(milliseconds: Int64(row.int("at"))),
      owner: uid_t(truncatingIfNeeded: row.int("owner")),
      method: row.text("method"),
      target: row.optionalText("target"),
      outcome: row.text("outcome")
    )
  }

  /// Returns the time of the last entry about this automatic action for uid 0.
  func lastAudit(_ action: AutomaticAction) throws -> Timestamp? {
    try database.row(
      "SELECT at FROM audit WHERE owner = 0 AND method = ? ORDER BY sequence DESC LIMIT 1",
      .text(action.name)
    ) { Timestamp(milliseconds: Int64($0.int(0))) }
  }

  /// Returns the id of the first entry about a rolled-back state; entries just before it may be missing.
  func auditGap() throws -> String? {
    try database.row(
      "SELECT id FROM audit WHERE owner = 0 AND method = ? AND target = 'older' ORDER BY sequence LIMIT 1",
      .text(RollbackCounter.noticing.name)
    ) { $0.text(0) }
  }

  /// Returns the sequence number of an entry of this owner, or of any owner if `owner` is nil.
  func auditSequence(_ id: String, of owner: uid_t?) throws -> Int? {
    try database.row(
      "SELECT sequence FROM audit WHERE id = ?1 AND (?2 IS NULL OR owner = ?2)",
      .text(id),
      SQLValue(owner)
    ) { $0.int(0) }
  }
}
