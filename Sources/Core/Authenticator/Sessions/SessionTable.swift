internal import ControlAPI
internal import Glibc
internal import JSON
internal import SQLite
internal import Time

// Rows of `session`.

extension Store {
  /// Keeps what a sign-on left, in the place of what an earlier one left there.
  func putSession(_ session: SignOnSession, _ content: JSON, of owner: uid_t) throws {
    let plaintext = content.serialized
    try transaction { database in
      try database.run(
        "INSERT OR IGNORE INTO owner (uid, created_at) VALUES (?, ?)",
        SQLValue(owner),
        SQLValue(session.updatedAt.milliseconds)
      )
      try deleteSession(at: session.issuer, of: session.subject, owner: owner)
      let (dataKey, wrapped) = try makeDataKey(at: Self.place(session.id, owner, "data_key"))
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
        .blob(try dataKey.seal(plaintext, at: Self.place(session.id, owner, "content"))),
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
    let dataKey = try dataKey(unwrapping: wrapped, at: Self.place(id, owner, "data_key"))
    try database.run(
      "UPDATE session SET content = ?, updated_at = ? WHERE id = ? AND owner = ?",
      .blob(try dataKey.seal(content.serialized, at: Self.place(id, owner, "content"))),
      SQLValue(now.milliseconds),
      .text(id),
      SQLValue(owner)
    )
  }

  /// The sessions of an owner, the newest first; this needs no key.
  func sessions(of owner: uid_t) throws -> [SignOnSession] {
    try database.rows(
      "SELECT id, issuer, subject, updated_at FROM session WHERE owner = ? ORDER BY updated_at DESC, id",
      SQLValue(owner)
    ) { row in
      let subject = row.text(2)
      return SignOnSession(
        id: row.text(0),
        issuer: row.text(1),
        subject: subject.isEmpty ? nil : subject,
        updatedAt: Timestamp(milliseconds: Int64(row.int(3)))
      )
    }
  }

  /// What a session holds.
  func sessionContent(_ id: String, of owner: uid_t) throws -> JSON? {
    let row = try database.row(
      "SELECT data_key, content FROM session WHERE id = ? AND owner = ?",
      .text(id),
      SQLValue(owner)
    ) { (wrapped: $0.blob(0), sealed: $0.blob(1)) }
    guard let row else { return nil }
    let dataKey = try dataKey(unwrapping: row.wrapped, at: Self.place(id, owner, "data_key"))
    return try JSON(parsing: try dataKey.open(row.sealed, at: Self.place(id, owner, "content")))
  }

  func deleteSession(at issuer: String, of subject: String?, owner: uid_t) throws {
    try database.run(
      "DELETE FROM session WHERE owner = ? AND issuer = ? AND subject = ?",
      SQLValue(owner),
      .text(issuer),
      .text(subject ?? "")
    )
  }

  func deleteSession(_ id: String, of owner: uid_t) throws {
    try database.run("DELETE FROM session WHERE id = ? AND owner = ?", .text(id), SQLValue(owner))
  }

  private static func place(_ id: String, _ owner: uid_t, _ column: StaticString) -> Place {
    Place(table: "session", row: id, owner: owner, column: column)
  }
}
