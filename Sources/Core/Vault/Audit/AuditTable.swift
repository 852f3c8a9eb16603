internal import ControlAPI
package import Glibc
internal import SQLite
internal import Time

// Rows of `audit`.

extension Vault {
  /// The most entries of an owner, about 10 MiB; older ones go.
  package nonisolated static let auditLimit = 65_536
  /// How often it is looked whether entries have to go: at each so many-th.
  private static let auditTrimInterval = 256

  func insertAudit(_ entry: AuditEntry) throws {
    try write { database in
      let sequence = try database.row(
        """
        INSERT INTO audit (id, owner, at, method, target, outcome) VALUES (?, ?, ?, ?, ?, ?) RETURNING sequence
        """,
        .text(entry.id),
        SQLValue(entry.owner),
        SQLValue(entry.at.milliseconds),
        .text(entry.method),
        SQLValue(entry.target),
        .text(entry.outcome)
      ) { $0.int(0) }
      if let sequence, sequence % Self.auditTrimInterval == 0 { try trimAudit(of: entry.owner) }
    }
  }

  /// Removes the oldest entries of an owner that are more than may be kept.
  package func trimAudit(of owner: uid_t, to limit: Int = auditLimit) throws {
    try write {
      try $0.run(
        """
        DELETE FROM audit WHERE owner = ?1 AND sequence <=
          (SELECT sequence FROM audit WHERE owner = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
        """,
        SQLValue(owner),
        SQLValue(limit)
      )
    }
  }

  func purgeAudit(before limit: Timestamp) throws {
    try write { try $0.run("DELETE FROM audit WHERE at < ?", SQLValue(limit.milliseconds)) }
  }

  /// Entries, the newest first: of one owner or of all, older than a sequence if one is given.
  func auditEntries(of owner: uid_t?, before sequence: Int?, limit: Int) throws -> [AuditEntry] {
    let (before, limit) = (SQLValue(sequence ?? .max), SQLValue(limit))
    guard let owner else {
      return try database.rows(
        "SELECT * FROM audit WHERE sequence < ? ORDER BY sequence DESC LIMIT ?",
        before,
        limit,
        read: Self.entry
      )
    }
    return try database.rows(
      "SELECT * FROM audit WHERE owner = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?",
      SQLValue(owner),
      before,
      limit,
      read: Self.entry
    )
  }

  private nonisolated static func entry(_ row: Row) -> AuditEntry {
    AuditEntry(
      id: row.text("id"),
      at: Timestamp(milliseconds: Int64(row.int("at"))),
      owner: uid_t(truncatingIfNeeded: row.int("owner")),
      method: row.text("method"),
      target: row.optionalText("target"),
      outcome: row.text("outcome")
    )
  }

  /// Where an entry stands, if it is one of this owner or all owners' are asked for.
  func auditSequence(_ id: String, of owner: uid_t?) throws -> Int? {
    try database.row(
      "SELECT sequence FROM audit WHERE id = ?1 AND (?2 IS NULL OR owner = ?2)",
      .text(id),
      SQLValue(owner)
    ) { $0.int(0) }
  }
}
