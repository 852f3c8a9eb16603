internal import ControlAPI
internal import Glibc
internal import JSON
internal import SQLite
internal import Time

/// A row of `authentication`, opened.
struct CodeRecord: Sendable {
  let id: String
  let owner: uid_t
  let identity: String
  let requestID: String
  let status: AuthenticationObject.Status
  let users: [User]
  let userApproval: String
  let clientContext: JSON?
  let expiresAt: Timestamp
  let decision: CodeDecision?
}

/// How an owner decided on a claimed code.
struct CodeDecision: Sendable, Equatable {
  let isApproval: Bool
  let user: String?

  var name: String { isApproval ? "approve" : "deny" }
}

// Rows of `authentication`.

extension Store {
  func insertCode(_ record: CodeRecord, identity: Identity) throws {
    var content: JSONObject = [
      "users": .array(record.users.map(\.json)), "userApproval": .string(record.userApproval),
    ]
    content["clientContext"] = record.clientContext
    let plaintext = JSON.object(content).serialized
    _ = try takeRoom(plaintext.count, of: record.owner)
    let (dataKey, wrapped) = try makeDataKey(at: Self.place(record.id, record.owner, "data_key"))
    let sealed = try dataKey.seal(
      plaintext,
      at: Self.place(record.id, record.owner, "content")
    )
    try database.run(
      """
      INSERT INTO authentication (id, owner, identity, request_id, status, data_key, content, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(record.id),
      SQLValue(record.owner),
      .text(identity.id),
      .text(record.requestID),
      .text(record.status.rawValue),
      .blob(wrapped),
      .blob(sealed),
      SQLValue(record.expiresAt.milliseconds)
    )
  }

  /// The claimed codes of an owner, the newest first.
  func codes(of owner: uid_t, limit: Int) throws -> [CodeRecord] {
    try database.rows(
      """
      SELECT id, owner, identity, request_id, status, data_key, content, expires_at, decision, decision_user
      FROM authentication WHERE owner = ? ORDER BY sequence DESC LIMIT ?
      """,
      SQLValue(owner),
      SQLValue(limit)
    ) { $0 }.map(record)
  }

  /// The claimed code of that id, if it is this owner's.
  func code(_ id: String, of owner: uid_t) throws -> CodeRecord? {
    try database.row(
      """
      SELECT id, owner, identity, request_id, status, data_key, content, expires_at, decision, decision_user
      FROM authentication WHERE id = ? AND owner = ?
      """,
      .text(id),
      SQLValue(owner)
    ) { $0 }.map(record)
  }

  /// The claimed code that the platform knows by that id, if there is one.
  func code(request: String, identity: Identity) throws -> CodeRecord? {
    try database.row(
      "SELECT id FROM authentication WHERE identity = ? AND request_id = ?",
      .text(identity.id),
      .text(request)
    ) { $0.text(0) }.flatMap { try code($0, of: identity.owner) }
  }

  /// The claimed codes of all owners that can still change.
  func openCodes() throws -> [CodeRecord] {
    let ids = try database.rows("SELECT id, owner FROM authentication WHERE status = 'CLAIMED'") {
      (id: $0.text(0), owner: uid_t(truncatingIfNeeded: $0.int(1)))
    }
    return try ids.compactMap { row in
      try unlessDamaged("authentication", of: row.owner) { try code(row.id, of: row.owner) } ?? nil
    }
  }

  /// Ends a code that is still open; false if it was ended before.
  func endCode(_ id: String, _ status: AuthenticationObject.Status) throws -> Bool {
    try database.run(
      "UPDATE authentication SET status = ? WHERE id = ? AND status = 'CLAIMED'",
      .text(status.rawValue),
      .text(id)
    ) == 1
  }

  /// Settles on a decision if the code is open and no other decision was made; the same again is let through.
  func decideCode(_ id: String, _ decision: CodeDecision) throws -> Bool {
    try database.run(
      """
      UPDATE authentication SET decision = ?1, decision_user = ?2
      WHERE id = ?3 AND status = 'CLAIMED'
        AND (decision IS NULL OR (decision = ?1 AND decision_user IS ?2))
      """,
      .text(decision.name),
      SQLValue(decision.user),
      .text(id)
    ) == 1
  }

  /// Takes back a decision that the platform did not take.
  func withdrawCodeDecision(_ id: String) throws {
    try database.run(
      "UPDATE authentication SET decision = NULL, decision_user = NULL WHERE id = ? AND status = 'CLAIMED'",
      .text(id)
    )
  }

  private func record(_ row: Row) throws -> CodeRecord {
    let (id, owner) = (row.text(0), uid_t(truncatingIfNeeded: row.int(1)))
    let dataKey = try dataKey(unwrapping: row.blob(5), at: Self.place(id, owner, "data_key"))
    let content = try JSON(parsing: dataKey.open(row.blob(6), at: Self.place(id, owner, "content")))
    return CodeRecord(
      id: id,
      owner: owner,
      identity: row.text(2),
      requestID: row.text(3),
      status: AuthenticationObject.Status(rawValue: row.text(4)) ?? .expired,
      users: content["users"]?.array?.compactMap { User(platform: $0) } ?? [],
      userApproval: content["userApproval"]?.string ?? "REQUIRED",
      clientContext: content["clientContext"],
      expiresAt: Timestamp(milliseconds: Int64(row.int(7))),
      decision: row.optionalText(8).map {
        CodeDecision(isApproval: $0 == "approve", user: row.optionalText(9))
      }
    )
  }

  private static func place(_ id: String, _ owner: uid_t, _ column: StaticString) -> Place {
    Place(table: "authentication", row: id, owner: owner, column: column)
  }
}
