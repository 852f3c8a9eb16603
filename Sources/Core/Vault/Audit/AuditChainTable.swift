internal import ControlAPI
internal import Glibc
internal import SQLite

// Rows of `audit_chain` and `audit_total`, and the links in `audit`.

extension Vault {
  func auditTotal() throws -> AuditTotal {
    try sealAudit()
    return try database.row("SELECT * FROM audit_total") { row in
      AuditTotal(start: row.int("start"), count: row.int("count"), seal: row.blob("seal"))
    } ?? AuditTotal(start: 0, count: 0, seal: [])
  }

  func setAuditTotal(_ total: AuditTotal) throws {
    try database.run(
      "INSERT OR REPLACE INTO audit_total VALUES (1, ?, ?, ?)",
      SQLValue(total.start),
      SQLValue(total.count),
      .blob(total.seal)
    )
  }

  func auditChain(of owner: uid_t) throws -> AuditChain? {
    try sealAudit()
    return try database.row("SELECT * FROM audit_chain WHERE owner = ?", SQLValue(owner)) { row in
      AuditChain(
        start: row.int("start"),
        checkpoint: row.blob("checkpoint"),
        count: row.int("count"),
        head: row.blob("head"),
        seal: row.blob("seal")
      )
    }
  }

  func setAuditChain(_ chain: AuditChain, of owner: uid_t) throws {
    try database.run(
      "INSERT OR REPLACE INTO audit_chain VALUES (?, ?, ?, ?, ?, ?)",
      SQLValue(owner),
      SQLValue(chain.start),
      .blob(chain.checkpoint),
      SQLValue(chain.count),
      .blob(chain.head),
      .blob(chain.seal)
    )
  }

  /// Returns the sum of the chains' counts and the number of chains.
  func auditChainSum() throws -> (count: Int, chains: Int) {
    try sealAudit()
    return try database.row("SELECT coalesce(sum(count), 0) AS count, count(*) AS chains FROM audit_chain") {
      ($0.int("count"), $0.int("chains"))
    } ?? (0, 0)
  }

  /// Returns the link and number of an owner's last entry, ignoring entries after `sequence`.
  func auditLink(of owner: uid_t, upTo sequence: Int = .max) throws -> (sequence: Int, link: [UInt8])? {
    try database.row(
      "SELECT sequence, link FROM audit WHERE owner = ? AND sequence <= ? ORDER BY sequence DESC LIMIT 1",
      SQLValue(owner),
      SQLValue(sequence)
    ) { ($0.int("sequence"), $0.blob("link")) }
  }

  /// Returns entries of an owner with their links, oldest first.
  func linkedEntries(of owner: uid_t, after sequence: Int, limit: Int) throws -> [LinkedEntry] {
    try database.rows(
      "SELECT * FROM audit WHERE owner = ? AND sequence > ? ORDER BY sequence LIMIT ?",
      SQLValue(owner),
      SQLValue(sequence),
      SQLValue(limit)
    ) { row in
      LinkedEntry(
        sequence: row.int("sequence"),
        entry: Self.auditEntry(row),
        link: row.blob("link")
      )
    }
  }

  /// Returns all owners that have entries or a chain.
  func auditedOwners() throws -> [uid_t] {
    try database.rows("SELECT owner FROM audit_chain UNION SELECT owner FROM audit ORDER BY owner") {
      uid_t(truncatingIfNeeded: $0.int(0))
    }
  }
}

/// An entry with its position and link in the chain.
struct LinkedEntry {
  let sequence: Int
  let entry: AuditEntry
  let link: [UInt8]
}
