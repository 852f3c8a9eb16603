internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import SQLite
internal import Time
internal import Vault

// A row of table `session` holds a user's tokens. A row without a subject holds data that the next sign-on at
// the same URL uses.

extension Vault {
  /// Stores a session, replacing an earlier one of the same issuer and subject.
  func putSession(_ session: SignOnSession, _ content: JSON, of owner: uid_t) throws {
    let (key, wrapped) = try sealer.makeDataKey(Self.label("session.data_key", session.id, owner))
    let digest = try sessionDigest(session.issuer, session.subject)
    let subject = try session.subject.map {
      try key.seal($0, as: Self.label("session.subject", session.id, owner))
    }
    try write { database in
      try database.run(
        "DELETE FROM session WHERE owner = ? AND digest = ?",
        SQLValue(owner),
        .blob(digest)
      )
      try database.run(
        """
        INSERT INTO session (id, owner, digest, data_key, issuer, subject, content, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(session.id),
        SQLValue(owner),
        .blob(digest),
        .blob(wrapped),
        .text(session.issuer),
        SQLValue(subject),
        .blob(try key.seal(content.serialized, as: Self.label("session.content", session.id, owner))),
        SQLValue(session.updatedAt.milliseconds)
      )
    }
  }

  /// Updates the content of a session; does nothing if the session has ended.
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

  /// Returns the sessions of an owner, newest first.
  func sessions(of owner: uid_t) throws -> [SignOnSession] {
    try database.rows(
      "SELECT * FROM session WHERE owner = ? ORDER BY updated_at DESC, id",
      SQLValue(owner)
    ) { $0 }.compactMap { row in try session(row, owner) }
  }

  /// Returns the session of a user at an issuer; without a subject, the session that belongs to no user.
  func session(at issuer: String, of subject: String?, owner: uid_t) throws -> SignOnSession? {
    try database.row(
      "SELECT * FROM session WHERE owner = ? AND digest = ?",
      SQLValue(owner),
      .blob(try sessionDigest(issuer, subject))
    ) { $0 }.flatMap { row in try session(row, owner) }
  }

  private func session(_ row: Row, _ owner: uid_t) throws -> SignOnSession? {
    let id = row.text("id")
    return try sealer.unlessDamaged("session", of: owner) {
      let key = try sealer.dataKey(
        unwrapping: row.blob("data_key"),
        Self.label("session.data_key", id, owner)
      )
      return SignOnSession(
        id: id,
        issuer: row.text("issuer"),
        subject: try row.optionalBlob("subject").map {
          try key.openText($0, as: Self.label("session.subject", id, owner))
        },
        updatedAt: Timestamp(milliseconds: Int64(row.int("updated_at")))
      )
    }
  }

  private func sessionDigest(_ issuer: String, _ subject: String?) throws -> [UInt8] {
    try sealer.digest("session", [issuer] + (subject.map { [$0] } ?? []))
  }

  func sessionContent(_ id: String, of owner: uid_t) throws -> JSON? {
    let row = try database.row(
      "SELECT data_key, content FROM session WHERE id = ? AND owner = ?",
      .text(id),
      SQLValue(owner)
    ) { (wrapped: $0.blob("data_key"), sealed: $0.blob("content")) }
    guard let row else { return nil }
    let key = try sealer.dataKey(unwrapping: row.wrapped, Self.label("session.data_key", id, owner))
    let content = try key.open(row.sealed, as: Self.label("session.content", id, owner))
    return try JSON(parsing: content, maximumValues: .max)
  }

  func deleteSession(_ id: String, of owner: uid_t) throws {
    try write {
      try $0.run("DELETE FROM session WHERE id = ? AND owner = ?", .text(id), SQLValue(owner))
    }
  }

  func sessionUsage(of owner: uid_t) throws -> Quota.Usage {
    try usage(
      of: owner,
      by: "SELECT count(*) AS rows, coalesce(sum(length(content)), 0) AS bytes FROM session WHERE owner = ?"
    )
  }

  private static func label(_ name: StaticString, _ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel(name, row: id, owner: owner)
  }
}
