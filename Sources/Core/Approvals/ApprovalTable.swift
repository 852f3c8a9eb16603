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
  private let pendingCounts: OwnerCache<Int>

  init(_ vault: Vault) { (self.vault, pendingCounts) = (vault, vault.cache()) }

  func forget(_ owner: uid_t) { pendingCounts.forget(owner) }

  // MARK: Reading

  func request(_ id: String, of owner: uid_t) throws -> ApprovalRequest? {
    try vault.database.row(
      "SELECT * FROM approval WHERE id = ? AND owner = ?",
      .text(id),
      SQLValue(owner)
    ) { $0 }.map(request)
  }

  /// Returns the request with this id at the server.
  func request(approver: String, source: String, foreignID: String) throws -> ApprovalRequest? {
    try vault.database.row(
      "SELECT * FROM approval WHERE approver = ? AND source = ? AND foreign_id = ?",
      .text(approver),
      .text(source),
      .text(foreignID)
    ) { $0 }.map(request)
  }

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
    ) { $0 }.map(request)
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
    ) { $0 }.map(request)
  }

  /// Returns codes of an owner, newest first.
  func codes(of owner: uid_t, limit: Int) throws -> [ApprovalRequest] {
    try vault.database.rows(
      "SELECT * FROM approval WHERE owner = ? AND kind = 'code' ORDER BY sequence DESC LIMIT ?",
      SQLValue(owner),
      SQLValue(limit)
    ) { $0 }.map(request)
  }

  /// Returns the open requests of all owners; skips rows that cannot be decrypted.
  func open() throws -> [ApprovalRequest] {
    try vault.database.rows("SELECT * FROM approval WHERE state IN ('pending', 'sending')") { $0 }
      .compactMap { row in
        try vault.sealer.unlessDamaged("approval", of: uid_t(truncatingIfNeeded: row.int("owner"))) {
          try request(row)
        }
      }
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

  private func request(_ row: Row) throws -> ApprovalRequest {
    let (id, owner) = (row.text("id"), uid_t(truncatingIfNeeded: row.int("owner")))
    let key = try vault.sealer.dataKey(
      unwrapping: row.blob("data_key"),
      SealLabel("approval.data_key", row: id, owner: owner)
    )
    let content = try JSON(
      parsing: key.open(row.blob("content"), as: SealLabel("approval.content", row: id, owner: owner))
    )
    guard let kind = ApprovalRequest.Kind(rawValue: row.text("kind")),
      let state = ApprovalRequest.State(rawValue: row.text("state"))
    else { throw SealingError.damaged }
    var decision = try row.optionalText("decision").map { name in
      Decision(
        isApproval: name == "approve",
        method: row.optionalText("method"),
        number: row.optionalInt("number"),
        reason: row.optionalText("reason"),
        user: try row.optionalBlob("user").map {
          try key.openText($0, as: SealLabel("approval.user", row: id, owner: owner))
        },
        at: Timestamp(milliseconds: Int64(row.int("decided_at")))
      )
    }
    decision?.isBlind = row.flag("is_blind")
    return ApprovalRequest(
      sequence: row.int("sequence"),
      id: id,
      owner: owner,
      approver: row.text("approver"),
      source: row.text("source"),
      foreignID: row.text("foreign_id"),
      account: row.optionalText("account"),
      kind: kind,
      state: state,
      content: ApprovalRequest.Content(stored: content),
      timeout: row.int("timeout"),
      receivedAt: Timestamp(milliseconds: Int64(row.int("received_at"))),
      expiresAt: Timestamp(milliseconds: Int64(row.int("expires_at"))),
      decision: decision
    )
  }
}

// The stored form of contents. Its names are independent of the control API, so that stored rows stay
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
