internal import ControlAPI
internal import Glibc
internal import SQLite
internal import Time

// Rows of `audit`.

extension Store {
  /// The most entries of an owner, about 10 MiB; older ones go.
  static let auditLimit = 65_536
  /// How often it is looked whether entries have to go: at each so many-th.
  private static let auditTrimInterval = 256

  /// Stores an entry; it is on the disk when this returns.
  func insertAudit(_ entry: AuditEntry) throws {
    try transaction { database in
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
  func trimAudit(of owner: uid_t, to limit: Int = auditLimit) throws {
    try database.run(
      """
      DELETE FROM audit WHERE owner = ?1 AND sequence <=
        (SELECT sequence FROM audit WHERE owner = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
      """,
      SQLValue(owner),
      SQLValue(limit)
    )
  }

  /// Entries, the newest first: of one owner or of all, older than a sequence if one is given.
  func auditEntries(of owner: uid_t?, before sequence: Int?, limit: Int) throws -> [AuditEntry] {
    let read = { (row: Row) in
      AuditEntry(
        id: row.text(0),
        at: Timestamp(milliseconds: Int64(row.int(1))),
        owner: uid_t(truncatingIfNeeded: row.int(2)),
        method: row.text(3),
        target: row.optionalText(4),
        outcome: row.text(5)
      )
    }
    guard let owner else {
      return try database.rows(
        """
        SELECT id, at, owner, method, target, outcome FROM audit
        WHERE ?1 IS NULL OR sequence < ?1 ORDER BY sequence DESC LIMIT ?2
        """,
        SQLValue(sequence),
        SQLValue(limit),
        read: read
      )
    }
    return try database.rows(
      """
      SELECT id, at, owner, method, target, outcome FROM audit
      WHERE owner = ?1 AND (?2 IS NULL OR sequence < ?2) ORDER BY sequence DESC LIMIT ?3
      """,
      SQLValue(owner),
      SQLValue(sequence),
      SQLValue(limit),
      read: read
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
