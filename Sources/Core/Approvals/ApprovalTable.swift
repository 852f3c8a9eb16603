internal import Accounts
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import SQLite
internal import Time
internal import Vault

/// Rows of `approval`.
@EventLoop
struct ApprovalTable {
  let vault: Vault
  let endings = EndingCounters()
  private let pendingCounts: OwnerCache<Int>

  init(_ vault: Vault) { (self.vault, pendingCounts) = (vault, vault.cache()) }

  func forget(_ owner: uid_t) { pendingCounts.forget(owner) }

  // MARK: Reading

  func request(_ id: String, of owner: uid_t) throws -> ApprovalRequest? {
    try vault.database.row(
      "SELECT * FROM approval WHERE id = ? AND owner = ?",
      .text(id),
      SQLValue(owner)
    ) { $0 }.flatMap(undamaged)
  }

  /// Returns the request with this id at the server.
  func request(approver: String, source: String, foreignID: String) throws -> ApprovalRequest? {
    try vault.database.row(
      "SELECT * FROM approval WHERE approver = ? AND source = ? AND foreign_id = ?",
      .text(approver),
      .text(source),
      .text(foreignID)
    ) { $0 }.flatMap(undamaged)
  }

  // Lists omit rows that do not open.

  /// Returns pushes of an owner before a sequence number, newest first.
  func pushes(of owner: uid_t, before sequence: Int, limit: Int) throws -> [ApprovalRequest] {
    try vault.database.rows(
      """
      SELECT * FROM approval WHERE owner = ? AND sequence < ? AND kind != 'code'
      ORDER BY sequence DESC LIMIT ?
      """,
      SQLValue(owner),
      SQLValue(sequence),
      SQLValue(limit)
    ) { $0 }.compactMap(undamaged)
  }

  /// Returns pushes of an owner in a state before a sequence number, newest first.
  func pushes(
    of owner: uid_t,
    in state: ApprovalRequest.State,
    before sequence: Int,
    limit: Int
  ) throws -> [ApprovalRequest] {
    try vault.database.rows(
      """
      SELECT * FROM approval WHERE owner = ? AND state = ? AND sequence < ? AND kind != 'code'
      ORDER BY sequence DESC LIMIT ?
      """,
      SQLValue(owner),
      .text(state.rawValue),
      SQLValue(sequence),
      SQLValue(limit)
    ) { $0 }.compactMap(undamaged)
  }

  /// Returns codes of an owner, newest first.
  func codes(of owner: uid_t, limit: Int) throws -> [ApprovalRequest] {
    try vault.database.rows(
      "SELECT * FROM approval WHERE owner = ? AND kind = 'code' ORDER BY sequence DESC LIMIT ?",
      SQLValue(owner),
      SQLValue(limit)
    ) { $0 }.compactMap(undamaged)
  }

  /// Returns the open requests of all owners; skips rows that do not open.
  func open() throws -> [ApprovalRequest] {
    try vault.database.rows("SELECT * FROM approval WHERE state IN ('pending', 'sending')") { $0 }
      .compactMap(undamaged)
  }

  /// Returns the ids of an owner's open requests, only of `account` if it is given; needs no key.
  func openIDs(of owner: uid_t, account: String? = nil) throws -> [String] {
    try vault.database.rows(
      "SELECT id, account FROM approval WHERE owner = ? AND state IN ('pending', 'sending')",
      SQLValue(owner)
    ) { (id: $0.text("id"), account: $0.optionalText("account")) }
    .filter { account == nil || $0.account == account }.map(\.id)
  }

  /// Returns the number of an owner's pending pushes; needs no key.
  func pendingCount(of owner: uid_t) throws -> Int {
    try pendingCounts.value(of: owner) {
      try vault.database.row(
        "SELECT count(*) FROM approval WHERE owner = ? AND state = 'pending' AND kind != 'code'",
        SQLValue(owner)
      ) { $0.int(0) } ?? 0
    }
  }

  func pushCount(of owner: uid_t) throws -> Int {
    try vault.database.row(
      "SELECT count(*) FROM approval WHERE owner = ? AND kind != 'code'",
      SQLValue(owner)
    ) { $0.int(0) } ?? 0
  }

  func totals() throws -> (pending: Int, ever: Int) {
    try vault.database.row(
      """
      SELECT (SELECT count(*) FROM approval WHERE state = 'pending' AND kind != 'code') AS pending,
        (SELECT seq FROM sqlite_sequence WHERE name = 'approval') AS ever
      """
    ) { ($0.int("pending"), $0.int("ever")) } ?? (0, 0)
  }

  func usage(of owner: uid_t) throws -> Quota.Usage {
    try vault.usage(
      of: owner,
      by: """
        SELECT (SELECT count(*) FROM approval WHERE owner = ?1) + (SELECT count(*) FROM seen WHERE owner = ?1) AS rows,
          (SELECT coalesce(sum(length(content)), 0) FROM approval WHERE owner = ?1) AS bytes
        """
    )
  }

  /// Returns the request of a row; nil, after a report, if another program changed the row.
  private func undamaged(_ row: Row) throws -> ApprovalRequest? {
    let (id, owner) = (row.text("id"), uid_t(truncatingIfNeeded: row.int("owner")))
    return try vault.sealer.unlessDamaged("approval", id, of: owner) { try request(row, id, owner) }
  }

  private func request(_ row: Row, _ id: String, _ owner: uid_t) throws -> ApprovalRequest {
    guard let kind = ApprovalRequest.Kind(rawValue: row.text("kind")),
      let state = ApprovalRequest.State(rawValue: row.text("state"))
    else { throw SealingError.damaged }
    var request = ApprovalRequest(
      sequence: row.int("sequence"),
      id: id,
      owner: owner,
      approver: row.text("approver"),
      source: row.text("source"),
      foreignID: row.text("foreign_id"),
      account: row.optionalText("account"),
      kind: kind,
      state: state,
      content: ApprovalRequest.Content(),
      timeout: row.int("timeout"),
      receivedAt: Timestamp(milliseconds: Int64(row.int("received_at"))),
      expiresAt: Timestamp(milliseconds: Int64(row.int("expires_at"))),
      decision: nil
    )
    let key = try vault.sealer.dataKey(unwrapping: row.blob("data_key"), request.keyLabel)
    let content = try JSON(parsing: key.open(row.blob("content"), as: request.contentLabel))
    request.content = ApprovalRequest.Content(stored: content)
    request.decision = try row.optionalBlob("decision").map { sealed in
      try Decision(stored: JSON(parsing: key.open(sealed, as: .decision(id, of: owner))))
    }
    return request
  }
}

extension ApprovalRequest {
  var keyLabel: SealLabel { .approvalKey(id, of: owner) }

  /// The label of the content, with the values of the row that never change.
  var contentLabel: SealLabel {
    let values: JSON = [
      .string(id), .string(approver), .string(source), .string(foreignID),
      account.map { .string($0) } ?? .null, .string(kind.rawValue), .int(timeout),
      .int(Int(receivedAt.milliseconds)), .int(Int(expiresAt.milliseconds)),
    ]
    return SealLabel("approval.content", row: values.text, owner: owner)
  }
}

extension SealLabel {
  static func approvalKey(_ id: String, of owner: uid_t) -> SealLabel {
    SealLabel("approval.data_key", row: id, owner: owner)
  }

  static func decision(_ id: String, of owner: uid_t) -> SealLabel {
    SealLabel("approval.decision", row: id, owner: owner)
  }
}

// The stored form of contents and decisions. Its names are independent of the control API, so that stored rows stay
// readable if the API renames members.

extension ApprovalRequest.Content {
  var stored: JSON {
    var object = JSONObject()
    object["title"] = shown.title.map { .string($0) }
    object["body"] = shown.body.map { .string($0) }
    object["clientContext"] = shown.clientContext
    object["applicationContext"] = shown.applicationContext
    object["category"] = shown.category.map { .string($0) }
    object["numberMatching"] = shown.numberMatching.map { .string($0) }
    object["numberOptions"] = shown.numberOptions.map { .array($0.map(JSON.int)) }
    if !users.isEmpty { object["users"] = .array(users.map(\.stored)) }
    object["userApproval"] = userApproval.map { .string($0) }
    object["approverDetails"] = approverDetails
    return .object(object)
  }

  init(stored json: JSON) {
    self.init()
    (shown.title, shown.body) = (json["title"]?.string, json["body"]?.string)
    shown.category = json["category"]?.string
    (shown.clientContext, shown.applicationContext) = (json["clientContext"], json["applicationContext"])
    shown.numberMatching = json["numberMatching"]?.string
    shown.numberOptions = json["numberOptions"]?.array?.compactMap(\.int)
    users = json["users"]?.array?.compactMap { User(stored: $0) } ?? []
    userApproval = json["userApproval"]?.string
    approverDetails = json["approverDetails"]
  }
}

extension Decision {
  var stored: JSON {
    var object: JSONObject = ["decision": .string(name), "at": .int(Int(at.milliseconds))]
    object["method"] = method.map { .string($0) }
    object["number"] = number.map(JSON.int)
    object["reason"] = reason.map { .string($0) }
    object["user"] = user.map { .string($0) }
    if isBlind { object["isBlind"] = true }
    return .object(object)
  }

  init(stored json: JSON) throws {
    guard let name = json["decision"]?.string, let at = json["at"]?.int else { throw SealingError.damaged }
    self.init(
      isApproval: name == "approve",
      method: json["method"]?.string,
      number: json["number"]?.int,
      reason: json["reason"]?.string,
      user: json["user"]?.string,
      at: Timestamp(milliseconds: Int64(at))
    )
    isBlind = json["isBlind"]?.bool ?? false
  }
}
