internal import ControlAPI
public import Glibc
internal import SQLite
internal import Time

// Rows of `owner`. Deleting such a row deletes the rows that refer to it.

extension Vault {
  /// The owners with state that is kept when the package is purged.
  public var keptOwners: [uid_t] {
    get throws {
      try database.rows("SELECT uid FROM owner WHERE keep_on_reinstall = 1 ORDER BY uid") {
        uid_t(truncatingIfNeeded: $0.int(0))
      }
    }
  }

  func owners() throws -> [(uid: uid_t, createdAt: Timestamp)] {
    try database.rows("SELECT uid, created_at FROM owner ORDER BY uid") { row in
      (uid_t(truncatingIfNeeded: row.int("uid")), Timestamp(milliseconds: Int64(row.int("created_at"))))
    }
  }

  func insertOwner(_ owner: uid_t, at now: Timestamp) throws {
    try write {
      try $0.run(
        "INSERT OR IGNORE INTO owner (uid, created_at) VALUES (?, ?)",
        SQLValue(owner),
        SQLValue(now.milliseconds)
      )
    }
  }

  func setKeepsOnReinstall(_ keeps: Bool, of owner: uid_t) throws {
    try write {
      try $0.run("UPDATE owner SET keep_on_reinstall = ? WHERE uid = ?", SQLValue(keeps), SQLValue(owner))
    }
  }

  /// True if there is nothing to erase for an owner: no rows, no key, and probably no data in backups.
  ///
  /// Audit entries do not count if all are about erasures and there are few of them. False if the audit has
  /// no entries because they were removed as too old, since a backup may then still contain data.
  func hasNothing(of owner: uid_t) throws -> Bool {
    let uid = SQLValue(owner)
    let isKnown = try database.row(
      """
      SELECT EXISTS (SELECT 1 FROM owner WHERE uid = ?1) OR EXISTS (SELECT 1 FROM owner_slot WHERE owner = ?1)
        OR EXISTS (SELECT 1 FROM owner_guard WHERE owner = ?1)
      """,
      uid
    ) { $0.flag(0) }
    guard isKnown == false else { return false }
    let entries = try database.row(
      """
      SELECT count(*) AS all_of_them, coalesce(sum(method = ? AND outcome = ?), 0) AS erasures
        FROM (SELECT method, outcome FROM audit WHERE owner = ? LIMIT ?)
      """,
      .text(DeviceRemoveLocalData.name),
      .text(AuditEntry.done),
      uid,
      SQLValue(Self.mostErasures + 1)
    ) { (all: $0.int("all_of_them"), erasures: $0.int("erasures")) }
    guard let entries, entries.all > 0 else { return try auditChain(of: owner)?.isBlank ?? true }
    return entries.all <= Self.mostErasures && entries.erasures == entries.all
  }

  /// Maximum number of erasure entries that count as no data; if there are more, they are erased too.
  private static let mostErasures = 64

  /// Removes the rows of an owner, except the row of the audit chain.
  func eraseRows(of owner: uid_t) throws {
    try write { database in
      // Audit entries do not refer to the owner's row, since refused callers without one have entries too.
      // Deleting the owner's row deletes the rows that refer to it.
      try eraseAudit(of: owner)
      try database.run("DELETE FROM owner WHERE uid = ?", SQLValue(owner))
    }
  }
}
