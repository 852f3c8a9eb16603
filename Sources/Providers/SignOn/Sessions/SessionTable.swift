internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
package import SQLite
internal import Time
internal import Vault

// Rows of `session`: tokens of a user, or without one what the next sign-on at the same place begins with.

extension Sessions {
  package nonisolated static let schema = Migration.sql(
    """
    CREATE TABLE session (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      data_key BLOB NOT NULL,
      content BLOB NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (owner, issuer, subject)
    ) STRICT;
    """
  )
}

extension Vault {
  /// Keeps what a sign-on left, in the place of what an earlier one left there.
  func putSession(_ session: SignOnSession, _ content: JSON, of owner: uid_t) throws {
    let (key, wrapped) = try sealer.makeDataKey(Self.label("session.data_key", session.id, owner))
    try write { database in
      try database.run(
        "DELETE FROM session WHERE owner = ? AND issuer = ? AND subject = ?",
        SQLValue(owner),
        .text(session.issuer),
        .text(session.subject ?? "")
      )
      try database.run(
        """
        INSERT INTO session (id, owner, issuer, subject, data_key, content, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        .text(session.id),
        SQLValue(owner),
        .text(session.issuer),
        .text(session.subject ?? ""),
        .blob(wrapped),
        .blob(try key.seal(content.serialized, as: Self.label("session.content", session.id, owner))),
        SQLValue(session.updatedAt.milliseconds)
      )
    }
  }

  /// Changes what is kept of a session; nothing happens if it was ended meanwhile.
  func updateSession(_ id: String, _ content: JSON, of owner: uid_t, now: Timestamp) throws {
    let wrapped = try database.row(
      "SELECT data_key FROM session WHERE id = ? AND owner = ?",
      .text(id),
      SQLValue(owner)
    ) { $0.blob(0) }
    guard let wrapped else { return }
    let key = try sealer.dataKey(unwrapping: wrapped, Self.label("session.data_key", id, owner))
    try write {
      try $0.run(
        "UPDATE session SET content = ?, updated_at = ? WHERE id = ? AND owner = ?",
        .blob(try key.seal(content.serialized, as: Self.label("session.content", id, owner))),
        SQLValue(now.milliseconds),
        .text(id),
        SQLValue(owner)
      )
    }
  }

  /// The sessions of an owner, the newest first; this needs no key.
  func sessions(of owner: uid_t) throws -> [SignOnSession] {
    try database.rows(
      "SELECT id, issuer, subject, updated_at FROM session WHERE owner = ? ORDER BY updated_at DESC, id",
      SQLValue(owner)
    ) { row in
      let subject = row.text("subject")
      return SignOnSession(
        id: row.text("id"),
        issuer: row.text("issuer"),
        subject: subject.isEmpty ? nil : subject,
        updatedAt: Timestamp(milliseconds: Int64(row.int("updated_at")))
      )
    }
  }

  func sessionContent(_ id: String, of owner: uid_t) throws -> JSON? {
    let row = try database.row(
      "SELECT data_key, content FROM session WHERE id = ? AND owner = ?",
      .text(id),
      SQLValue(owner)
    ) { (wrapped: $0.blob("data_key"), sealed: $0.blob("content")) }
    guard let row else { return nil }
    let key = try sealer.dataKey(unwrapping: row.wrapped, Self.label("session.data_key", id, owner))
    return try JSON(parsing: try key.open(row.sealed, as: Self.label("session.content", id, owner)))
  }

  func deleteSession(_ id: String, of owner: uid_t) throws {
    try write {
      try $0.run("DELETE FROM session WHERE id = ? AND owner = ?", .text(id), SQLValue(owner))
    }
  }

  func sessionUsage(of owner: uid_t) throws -> Quota.Usage {
    try database.row(
      "SELECT count(*) AS rows, coalesce(sum(length(content)), 0) AS bytes FROM session WHERE owner = ?",
      SQLValue(owner)
    ) { Quota.Usage(rows: $0.int("rows"), bytes: $0.int("bytes")) } ?? Quota.Usage(rows: 0, bytes: 0)
  }

  private static func label(_ name: StaticString, _ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel(name, row: id, owner: owner)
  }
}
