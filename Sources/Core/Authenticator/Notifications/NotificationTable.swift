internal import ControlAPI
internal import Glibc
internal import JSON
internal import SQLite
internal import Time

/// A row of `notification`, opened.
struct NotificationRecord: Sendable {
  let sequence: Int
  let id: String
  let owner: uid_t
  let identity: String
  let account: String
  let push: String
  let kind: NotificationObject.Kind
  let state: NotificationObject.State
  let content: NotificationObject.Content
  let timeout: Int
  let receivedAt: Timestamp
  let expiresAt: Timestamp
  let decision: Decision?
}

/// How an owner decided.
struct Decision: Sendable, Equatable {
  let isApproval: Bool
  let method: String?
  let number: Int?
  let reason: String?
  let at: Timestamp

  var name: String { isApproval ? "approve" : "deny" }

  /// Whether another decision says the same, whenever it was made.
  func agrees(with other: Decision) -> Bool { isApproval == other.isApproval && number == other.number }
}

// Rows of `notification` and `cancelled_push`.

extension Store {
  private static let columns: StaticString = """
    SELECT sequence, id, owner, identity, account, push_id, kind, state, content, timeout, received_at, expires_at,
      decision, method, number, reason, decided_at FROM notification WHERE id = ? AND owner = ?
    """

  /// The push of that id, if it is this owner's.
  func notification(_ id: String, of owner: uid_t) throws -> NotificationRecord? {
    try database.row(Self.columns, .text(id), SQLValue(owner)) { $0 }.map(record)
  }

  /// The push that the platform knows by that id.
  func notification(push: String, of identity: Identity) throws -> NotificationRecord? {
    try database.row(
      "SELECT id FROM notification WHERE identity = ? AND push_id = ?",
      .text(identity.id),
      .text(push)
    ) { $0.text(0) }.flatMap { try notification($0, of: identity.owner) }
  }

  /// Pushes of an owner, the newest first: of a state if one is given, older than a sequence if one is given.
  func notifications(
    of owner: uid_t,
    state: NotificationObject.State?,
    before sequence: Int?,
    limit: Int
  ) throws -> [NotificationRecord] {
    let ids = try database.rows(
      """
      SELECT id FROM notification
      WHERE owner = ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR sequence < ?3)
      ORDER BY sequence DESC LIMIT ?4
      """,
      SQLValue(owner),
      SQLValue(state?.rawValue),
      SQLValue(sequence),
      SQLValue(limit)
    ) { $0.text(0) }
    return try ids.compactMap { try notification($0, of: owner) }
  }

  /// Pushes that can still change, of all owners.
  func openNotifications() throws -> [NotificationRecord] {
    let ids = try database.rows("SELECT id, owner FROM notification WHERE state IN ('pending', 'sending')") {
      (id: $0.text(0), owner: uid_t(truncatingIfNeeded: $0.int(1)))
    }
    return try ids.compactMap { row in
      try unlessDamaged("notification", of: row.owner) { try notification(row.id, of: row.owner) } ?? nil
    }
  }

  /// Pushes of an owner that can still change.
  func openNotifications(of owner: uid_t) throws -> [NotificationRecord] {
    try [NotificationObject.State.pending, .sending].flatMap {
      try notifications(of: owner, state: $0, before: nil, limit: .max)
    }
  }

  /// How many pushes of an owner wait for an answer.
  func pendingCount(of owner: uid_t) throws -> Int {
    try cached(\.pendingCounts, owner) { database in
      try database.row(
        "SELECT count(*) FROM notification WHERE owner = ? AND state = 'pending'",
        SQLValue(owner)
      ) { $0.int(0) } ?? 0
    }
  }

  /// Stores a push; false if the platform's id is known already.
  func insertNotification(_ record: NotificationRecord, account: AccountRecord) throws -> Bool {
    let content = try account.dataKey.seal(
      record.content.json.serialized,
      at: Self.place(record.id, record.owner)
    )
    return try database.run(
      """
      INSERT OR IGNORE INTO notification (id, owner, identity, account, push_id, kind, state, content,
        number_matching, timeout, received_at, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(record.id),
      SQLValue(record.owner),
      .text(record.identity),
      .text(record.account),
      .text(record.push),
      .text(record.kind.rawValue),
      .text(record.state.rawValue),
      .blob(content),
      SQLValue(record.content.numberMatching),
      SQLValue(record.timeout),
      SQLValue(record.receivedAt.milliseconds),
      SQLValue(record.expiresAt.milliseconds)
    ) == 1
  }

  /// Settles on a decision if the push still waits; the one place in which an answer is won or lost.
  func decide(_ id: String, of owner: uid_t, _ decision: Decision) throws -> Bool {
    try database.row(
      """
      UPDATE notification SET state = 'sending', decision = ?, method = ?, number = ?, reason = ?, decided_at = ?
      WHERE id = ? AND owner = ? AND state = 'pending' RETURNING id
      """,
      .text(decision.name),
      SQLValue(decision.method),
      SQLValue(decision.number),
      SQLValue(decision.reason),
      SQLValue(decision.at.milliseconds),
      .text(id),
      SQLValue(owner)
    ) { _ in true } ?? false
  }

  /// Moves an open push to another state; false if it is not in the one that was expected.
  func moveNotification(
    _ id: String,
    from old: NotificationObject.State,
    to new: NotificationObject.State
  ) throws -> Bool {
    try database.run(
      "UPDATE notification SET state = ? WHERE id = ? AND state = ?",
      .text(new.rawValue),
      .text(id),
      .text(old.rawValue)
    ) == 1
  }

  /// Takes back a decision that the platform did not take.
  func withdrawDecision(_ id: String) throws {
    try database.run(
      """
      UPDATE notification SET state = 'pending', decision = NULL, method = NULL, number = NULL, reason = NULL,
        decided_at = NULL
      WHERE id = ? AND state = 'sending'
      """,
      .text(id)
    )
  }

  /// The most cancellations that are remembered for a device.
  static let cancellationLimit = 16_384

  /// Remembers a cancellation whose push has not come yet; of too many the oldest is forgotten.
  func insertCancellation(_ push: String, user: String, identity: Identity, until expiry: Timestamp) throws {
    try database.run(
      "INSERT OR IGNORE INTO cancelled_push VALUES (?, ?, ?, ?)",
      .text(identity.id),
      .text(push),
      .text(user),
      SQLValue(expiry.milliseconds)
    )
    try database.run(
      """
      DELETE FROM cancelled_push WHERE identity = ?1 AND rowid <=
        (SELECT rowid FROM cancelled_push WHERE identity = ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ?2)
      """,
      .text(identity.id),
      SQLValue(Self.cancellationLimit)
    )
  }

  /// Whether a push was cancelled before it came.
  func isCancelled(_ push: String, user: String, identity: Identity) throws -> Bool {
    try database.row(
      "SELECT 1 FROM cancelled_push WHERE identity = ? AND push_id = ? AND user_id = ?",
      .text(identity.id),
      .text(push),
      .text(user)
    ) { _ in true } ?? false
  }

  private func record(_ row: Row) throws -> NotificationRecord {
    let (id, owner) = (row.text(1), uid_t(truncatingIfNeeded: row.int(2)))
    let account = row.text(4)
    guard let key = try accounts(of: owner).first(where: { $0.id == account })?.dataKey else {
      throw SealingError.damaged
    }
    let content = try JSON(parsing: key.open(row.blob(8), at: Self.place(id, owner)))
    let decision = row.optionalText(12).map { name in
      Decision(
        isApproval: name == "approve",
        method: row.optionalText(13),
        number: row.optionalInt(14),
        reason: row.optionalText(15),
        at: Timestamp(milliseconds: Int64(row.int(16)))
      )
    }
    return NotificationRecord(
      sequence: row.int(0),
      id: id,
      owner: owner,
      identity: row.text(3),
      account: account,
      push: row.text(5),
      kind: NotificationObject.Kind(rawValue: row.text(6)) ?? .authentication,
      state: NotificationObject.State(rawValue: row.text(7)) ?? .expired,
      content: NotificationObject.Content(stored: content),
      timeout: row.int(9),
      receivedAt: Timestamp(milliseconds: Int64(row.int(10))),
      expiresAt: Timestamp(milliseconds: Int64(row.int(11))),
      decision: decision
    )
  }

  private static func place(_ id: String, _ owner: uid_t) -> Place {
    Place(table: "notification", row: id, owner: owner, column: "content")
  }
}

extension NotificationObject.Content {
  var json: JSON {
    var object = JSONObject()
    object["title"] = title.map { .string($0) }
    object["body"] = body.map { .string($0) }
    object["clientContext"] = clientContext
    object["applicationContext"] = applicationContext
    object["category"] = category.map { .string($0) }
    object["numberMatching"] = numberMatching.map { .string($0) }
    object["numberOptions"] = numberOptions.map { .array($0.map(JSON.int)) }
    return .object(object)
  }

  init(stored json: JSON) {
    self.init()
    (title, body, category) = (json["title"]?.string, json["body"]?.string, json["category"]?.string)
    (clientContext, applicationContext) = (json["clientContext"], json["applicationContext"])
    numberMatching = json["numberMatching"]?.string
    numberOptions = json["numberOptions"]?.array?.compactMap(\.int)
  }
}
