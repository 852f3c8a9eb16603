internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import OpenSSL
internal import SQLite
internal import Time
internal import Vault

// Inserts and changes of `approval`.

extension ApprovalTable {
  /// Stores a new request, in place of a damaged row with the same id at the server.
  func insert(_ request: ApprovalRequest, content: [UInt8], rememberedUntil end: Timestamp) throws {
    let (id, owner) = (request.id, request.owner)
    let (key, wrapped) = try vault.sealer.makeDataKey(request.keyLabel)
    let sealed = try key.seal(content, as: request.contentLabel)
    try change(owner) { database in
      try database.run(
        """
        INSERT OR REPLACE INTO approval (id, owner, approver, source, foreign_id, account, kind, state, data_key, content,
          timeout, received_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(id),
        SQLValue(owner),
        .text(request.approver),
        .text(request.source),
        .text(request.foreignID),
        SQLValue(request.account),
        .text(request.kind.rawValue),
        .text(request.state.rawValue),
        .blob(wrapped),
        .blob(sealed),
        SQLValue(request.timeout),
        SQLValue(request.receivedAt.milliseconds),
        SQLValue(request.expiresAt.milliseconds)
      )
      try remember(request.foreignID, for: request.approver, source: request.source, of: owner, until: end)
    }
  }

  /// Remembers a foreign id as seen, independently of any row in `approval`.
  func remember(
    _ foreignID: String,
    for approver: String,
    source: String,
    of owner: uid_t,
    until end: Timestamp
  ) throws {
    try vault.write {
      try $0.run(
        "INSERT OR REPLACE INTO seen (owner, approver, source, foreign_id, expires_at) VALUES (?, ?, ?, ?, ?)",
        SQLValue(owner),
        .text(approver),
        .text(source),
        .text(foreignID),
        SQLValue(end.milliseconds)
      )
    }
  }

  /// True if this request was received before, regardless of its outcome.
  func wasSeen(approver: String, source: String, foreignID: String) throws -> Bool {
    try vault.database.row(
      "SELECT 1 FROM seen WHERE approver = ? AND source = ? AND foreign_id = ?",
      .text(approver),
      .text(source),
      .text(foreignID)
    ) { _ in true } ?? false
  }

  /// Stores a decision if the request is still pending; returns false otherwise.
  ///
  /// This conditional update accepts only the first of concurrent decisions.
  func decide(_ id: String, of owner: uid_t, _ decision: Decision) throws -> Bool {
    guard let sealed = try sealed(decision, of: id, owner) else { return false }
    let guardSeal = try vault.sealer.guardSeal(of: sealed, as: .decision(id, of: owner))
    return try change(owner) {
      try $0.run(
        "UPDATE approval SET state = 'sending', decision = ?, guard_seal = ? WHERE id = ? AND state = 'pending'",
        .blob(sealed),
        SQLValue(guardSeal),
        .text(id)
      ) == 1
    }
  }

  /// Returns a sealed decision; nil if there is no such request.
  private func sealed(_ decision: Decision, of id: String, _ owner: uid_t) throws -> [UInt8]? {
    let wrapped = try vault.database.row(
      "SELECT data_key FROM approval WHERE id = ? AND owner = ?",
      .text(id),
      SQLValue(owner)
    ) { $0.blob(0) }
    return try wrapped.map { wrapped in
      try vault.sealer.dataKey(unwrapping: wrapped, .approvalKey(id, of: owner))
        .seal(decision.stored.serialized, as: .decision(id, of: owner))
    }
  }

  /// Throws unless the decision on a request was made while the owner was unlocked or had no PIN.
  ///
  /// Throws: `locked` while the owner is locked.
  func checkGuard(_ id: String, of owner: uid_t) throws {
    let stored = try vault.database.row("SELECT decision, guard_seal FROM approval WHERE id = ?", .text(id)) {
      (decision: $0.optionalBlob(0), seal: $0.optionalBlob(1))
    }
    let isGuarded = try vault.sealer.unlessDamaged("decision", id, of: owner) {
      try vault.sealer.checkGuard(stored?.seal, of: stored?.decision ?? [], as: .decision(id, of: owner))
      return true
    }
    guard isGuarded != nil else { throw SealingError.damaged }
  }

  /// Seals the decisions in delivery with the guard key, when their owner sets the first PIN.
  func guardDecisions(of owner: uid_t) throws {
    guard try vault.pinState(of: owner) == .none else { return }
    let sent = try vault.database.rows(
      "SELECT id, decision FROM approval WHERE owner = ? AND state = 'sending' AND decision IS NOT NULL",
      SQLValue(owner)
    ) { (id: $0.text(0), decision: $0.blob(1)) }
    for (id, decision) in sent {
      let seal = try vault.sealer.guardSeal(of: decision, as: .decision(id, of: owner))
      try vault.write {
        _ = try $0.run("UPDATE approval SET guard_seal = ? WHERE id = ?", SQLValue(seal), .text(id))
      }
    }
  }

  /// Moves a request to another state; returns false if it is not in the expected state.
  func move(
    _ id: String,
    of owner: uid_t,
    from old: ApprovalRequest.State,
    to new: ApprovalRequest.State
  ) throws -> Bool {
    let isMoved = try change(owner) {
      try $0.run(
        "UPDATE approval SET state = ? WHERE id = ? AND owner = ? AND state = ?",
        .text(new.rawValue),
        .text(id),
        SQLValue(owner),
        .text(old.rawValue)
      ) == 1
    }
    if isMoved { vault.whenCommitted { [endings] in endings.count(new) } }
    return isMoved
  }

  /// Reverts a decision that the server did not accept.
  func withdraw(_ id: String, of owner: uid_t) throws {
    try change(owner) {
      try $0.run(
        """
        UPDATE approval SET state = 'pending', decision = NULL, guard_seal = NULL WHERE id = ? AND state = 'sending'
        """,
        .text(id)
      )
    }
  }

  /// Removes completed and expired codes, and the older half of the completed requests.
  func dropOldestSettled(of owner: uid_t, now: Timestamp) throws {
    try change(owner) { database in
      try database.run(
        """
        DELETE FROM approval WHERE owner = ? AND kind = 'code'
          AND (state NOT IN ('pending', 'sending') OR expires_at < ?)
        """,
        SQLValue(owner),
        SQLValue(now.milliseconds)
      )
      try database.run(
        """
        DELETE FROM approval WHERE owner = ?1 AND state NOT IN ('pending', 'sending') AND sequence <=
          (SELECT max(sequence) FROM (
            SELECT sequence FROM approval WHERE owner = ?1 AND state NOT IN ('pending', 'sending')
            ORDER BY sequence
            LIMIT (SELECT (count(*) + 1) / 2 FROM approval
              WHERE owner = ?1 AND state NOT IN ('pending', 'sending'))))
        """,
        SQLValue(owner)
      )
    }
  }

  /// Removes a batch of completed requests received before the limit, and a batch of expired rows of `seen`.
  ///
  /// Returns true if there may be more to remove.
  func purge(before limit: Timestamp, now: Timestamp) throws -> Bool {
    try vault.write { database in
      let settled = try database.run(
        """
        DELETE FROM approval WHERE sequence IN (
          SELECT sequence FROM approval WHERE state NOT IN ('pending', 'sending') AND received_at < ? LIMIT ?)
        """,
        SQLValue(limit.milliseconds),
        SQLValue(Retention.piece)
      )
      let seen = try database.run(
        """
        DELETE FROM seen WHERE (approver, source, foreign_id) IN (
          SELECT approver, source, foreign_id FROM seen WHERE expires_at < ? LIMIT ?)
        """,
        SQLValue(now.milliseconds),
        SQLValue(Retention.piece)
      )
      return max(settled, seen) == Retention.piece
    }
  }

  @discardableResult
  private func change<R>(_ owner: uid_t, _ body: (Database) throws -> R) throws -> R {
    defer { forget(owner) }
    return try vault.write(body)
  }
}
