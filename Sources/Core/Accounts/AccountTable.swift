internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import SQLite
internal import Time
internal import Vault

/// Rows of `account`.
@EventLoop
struct AccountTable {
  let vault: Vault
  let records: OwnerCache<[AccountRecord]>
  private let activeCounts: OwnerCache<Int>

  init(_ vault: Vault) {
    (self.vault, records, activeCounts) = (vault, vault.cache(), vault.cache())
  }

  func forget(_ owner: uid_t) {
    records.forget(owner)
    activeCounts.forget(owner)
  }

  /// Returns all accounts of an owner by creation time, including those that are not active.
  func all(of owner: uid_t) throws -> [AccountRecord] {
    try records.value(of: owner) {
      try vault.database.rows(
        "SELECT * FROM account WHERE owner = ?",
        SQLValue(owner)
      ) { $0 }.map { try record($0, owner) }.sorted(by: AccountRecord.isOlder)
    }
  }

  /// Returns the number of active accounts of an owner; needs no key.
  func activeCount(of owner: uid_t) throws -> Int {
    try activeCounts.value(of: owner) {
      try vault.database.row(
        "SELECT count(*) FROM account WHERE owner = ? AND state = 'active'",
        SQLValue(owner)
      ) { $0.int(0) } ?? 0
    }
  }

  /// Returns the number of an owner's rows and the bytes of their long values.
  func usage(of owner: uid_t) throws -> Quota.Usage {
    try vault.usage(
      of: owner,
      by: """
        SELECT count(*) AS rows, coalesce(sum(length(label) + length(coalesce(issuer, '')) + length(data_key)), 0)
          AS bytes
        FROM account WHERE owner = ?
        """
    )
  }

  private func record(_ row: Row, _ owner: uid_t) throws -> AccountRecord {
    let id = row.text("id")
    let key = try vault.sealer.dataKey(
      unwrapping: row.blob("data_key"),
      Self.label("account.data_key", id, owner)
    )
    func text(_ column: Row.Column, _ name: StaticString) throws -> String? {
      try row.optionalBlob(column).map { try key.openText($0, as: Self.label(name, id, owner)) }
    }
    guard let kind = Account.Kind(rawValue: row.text("kind")),
      let state = AccountRecord.State(rawValue: row.text("state"))
    else { throw SealingError.damaged }
    return AccountRecord(
      id: id,
      owner: owner,
      kind: kind,
      state: state,
      issuer: try text("issuer", "account.issuer"),
      label: try text("label", "account.label") ?? "",
      nickname: try text("nickname", "account.nickname"),
      lock: row.optionalText("lock_policy").map { policy in
        AccountLock(
          policy: policy,
          expiresAt: row.optionalInt("locked_until").map { Timestamp(milliseconds: Int64($0)) }
        )
      },
      createdAt: Timestamp(milliseconds: Int64(row.int("created_at")))
    )
  }

  /// Returns the key that seals the values of an account and of the rows that refer to it.
  func dataKey(of id: String, owner: uid_t) throws -> DataKey {
    let wrapped = try vault.database.row(
      "SELECT data_key FROM account WHERE id = ? AND owner = ?",
      .text(id),
      SQLValue(owner)
    ) { $0.blob(0) }
    guard let wrapped else { throw RPCError.noSuch("account") }
    return try vault.sealer.dataKey(unwrapping: wrapped, Self.label("account.data_key", id, owner))
  }

  static nonisolated func label(_ name: StaticString, _ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel(name, row: id, owner: owner)
  }

  // MARK: Changes

  func insert(_ record: AccountRecord, digest: [UInt8]) throws {
    let (id, owner) = (record.id, record.owner)
    let (key, wrapped) = try vault.sealer.makeDataKey(Self.label("account.data_key", id, owner))
    let known = records.known(of: owner)
    try change(owner) { database in
      try database.run(
        """
        INSERT INTO account (id, owner, kind, state, digest, data_key, issuer, label, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(id),
        SQLValue(owner),
        .text(record.kind.rawValue),
        .text(record.state.rawValue),
        .blob(digest),
        .blob(wrapped),
        SQLValue(try record.issuer.map { try key.seal($0, as: Self.label("account.issuer", id, owner)) }),
        .blob(try key.seal(record.label, as: Self.label("account.label", id, owner))),
        SQLValue(record.createdAt.milliseconds)
      )
    }
    // Updates the cache, so that the next read of many accounts does not decrypt all of them again.
    if let known { records.set((known + [record]).sorted(by: AccountRecord.isOlder), of: owner) }
  }

  /// Activates an account and deletes all other accounts of the owner with the same digest.
  ///
  /// Returns false if the account to activate is gone.
  func activate(_ id: String, of owner: uid_t) throws -> Bool {
    try change(owner) { database in
      try database.run(
        """
        DELETE FROM account
        WHERE owner = ?1 AND id != ?2 AND digest = (SELECT digest FROM account WHERE id = ?2 AND owner = ?1)
        """,
        SQLValue(owner),
        .text(id)
      )
      return try database.run(
        "UPDATE account SET state = 'active' WHERE id = ? AND owner = ?",
        .text(id),
        SQLValue(owner)
      ) == 1
    }
  }

  /// Marks an account as revoked by the server.
  ///
  /// Deletes its passcode secret, since the server accepts its passcodes no longer.
  func revoke(_ id: String, of owner: uid_t) throws {
    try change(owner) { database in
      try database.run("UPDATE account SET state = 'revoked' WHERE id = ?", .text(id))
      try database.run("DELETE FROM oath WHERE account = ?", .text(id))
    }
  }

  func setIssuer(_ issuer: String, of id: String, owner: uid_t) throws {
    let key = try dataKey(of: id, owner: owner)
    let sealed = try key.seal(issuer, as: Self.label("account.issuer", id, owner))
    try change(owner) {
      try $0.run("UPDATE account SET issuer = ? WHERE id = ?", .blob(sealed), .text(id))
    }
  }

  func setNickname(_ nickname: String?, of id: String, owner: uid_t) throws {
    let key = try dataKey(of: id, owner: owner)
    let sealed = try nickname.map { try key.seal($0, as: Self.label("account.nickname", id, owner)) }
    try change(owner) {
      try $0.run("UPDATE account SET nickname = ? WHERE id = ?", SQLValue(sealed), .text(id))
    }
  }

  /// Stores the lock of an account, or removes it if `lock` is nil.
  func setLock(_ lock: AccountLock?, on id: String, of owner: uid_t) throws {
    try change(owner) {
      try $0.run(
        "UPDATE account SET locked_until = ?, lock_policy = ? WHERE id = ? AND owner = ?",
        SQLValue(lock?.expiresAt?.milliseconds),
        SQLValue(lock?.policy),
        .text(id),
        SQLValue(owner)
      )
    }
  }

  /// Removes an account and the rows that refer to it; returns false if the account was gone already.
  func delete(_ id: String, of owner: uid_t) throws -> Bool {
    try change(owner) {
      try $0.run("DELETE FROM account WHERE id = ? AND owner = ?", .text(id), SQLValue(owner)) == 1
    }
  }

  /// Returns all accounts that have a lock with an end time, with their owners.
  func lockedAccounts() throws -> [(account: String, owner: uid_t)] {
    try vault.database.rows("SELECT id, owner FROM account WHERE locked_until IS NOT NULL") {
      ($0.text("id"), uid_t(truncatingIfNeeded: $0.int("owner")))
    }
  }

  @discardableResult
  private func change<R>(_ owner: uid_t, _ body: (Database) throws -> R) throws -> R {
    defer { forget(owner) }
    return try vault.write(body)
  }
}
