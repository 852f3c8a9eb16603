internal import Configuration
internal import ControlAPI
internal import Glibc
internal import JSON
internal import JSONRPC
internal import OpenSSL
internal import SQLite
internal import Time

/// A row of `account`, opened.
struct AccountRecord: Sendable {
  /// How far an account is.
  enum State: String, Sendable {
    /// The platform set it up; its first passcode is being checked.
    case activating
    /// It is in force.
    case active
    /// The platform does not know it any more.
    case revoked
  }

  let id: String
  let owner: uid_t
  let identity: String
  let state: State
  let environment: String
  let user: User
  let nickname: String?
  let authenticators: [PairedAuthenticator]
  let platformPairing: String
  let dataKey: DataKey
  let oath: PlatformPairing.OATH?
  let createdAt: Timestamp
  let lock: AccountLock?

  var isActive: Bool { state == .active }
}

// Rows of `account`.

extension Store {
  /// The accounts of an owner in the order in which they were made, with those that are not in force.
  func accounts(of owner: uid_t) throws -> [AccountRecord] {
    try cached(\.accounts, owner) { database in
      try database.rows(
        """
        SELECT id, identity, state, environment, user, nickname, authenticators, platform_pairing, data_key,
          secret, algorithm, digits, period, created_at, locked_until, lock_policy
        FROM account WHERE owner = ? ORDER BY created_at, id
        """,
        SQLValue(owner)
      ) { $0 }.map { try record($0, owner: owner) }
    }
  }

  /// How many accounts of an owner are in force; this needs no key.
  func activeCount(of owner: uid_t) throws -> Int {
    try cached(\.activeCounts, owner) { database in
      try database.row(
        "SELECT count(*) FROM account WHERE owner = ? AND state = 'active'",
        SQLValue(owner)
      ) { $0.int(0) } ?? 0
    }
  }

  private func record(_ row: Row, owner: uid_t) throws -> AccountRecord {
    let id = row.text(0)
    let dataKey = try dataKey(unwrapping: row.blob(8), at: Self.place(id, owner, "data_key"))
    let user = try JSON(parsing: dataKey.open(row.blob(4), at: Self.place(id, owner, "user")))
    var oath: PlatformPairing.OATH?
    if let sealed = row.optionalBlob(9), let algorithm = HashAlgorithm(storedName: row.text(10)) {
      let secret = try dataKey.openSecret(sealed, at: Self.place(id, owner, "secret"))
      oath = PlatformPairing.OATH(
        secret: secret,
        algorithm: algorithm,
        digits: row.int(11),
        period: row.int(12)
      )
    }
    guard let user = User(platform: user) else { throw SealingError.damaged }
    return AccountRecord(
      id: id,
      owner: owner,
      identity: row.text(1),
      state: AccountRecord.State(rawValue: row.text(2)) ?? .revoked,
      environment: row.text(3),
      user: user,
      nickname: row.optionalText(5),
      authenticators: (try JSON(parsing: row.text(6))).array?.compactMap(PairedAuthenticator.init(stored:))
        ?? [],
      platformPairing: row.text(7),
      dataKey: dataKey,
      oath: oath,
      createdAt: Timestamp(milliseconds: Int64(row.int(13))),
      lock: row.optionalText(15).map { policy in
        AccountLock(
          policy: policy,
          expiresAt: row.optionalInt(14).map { Timestamp(milliseconds: Int64($0)) }
        )
      }
    )
  }

  /// Stores what a platform set up; an earlier pairing of the same user stays in force until this one is.
  func insertAccount(_ id: String, identity: Identity, _ pairing: PlatformPairing, at now: Timestamp) throws {
    let owner = identity.owner
    let (dataKey, wrapped) = try makeDataKey(at: Self.place(id, owner, "data_key"))
    let secret = try pairing.oath.map { oath in
      var bytes = oath.secret.withBytes { Array($0) }
      defer { wipe(&bytes) }
      return try dataKey.seal(bytes, at: Self.place(id, owner, "secret"))
    }
    try database.run(
      """
      INSERT INTO account (id, owner, identity, state, environment, user_id, user, authenticators,
        platform_pairing, data_key, secret, algorithm, digits, period, created_at)
      VALUES (?, ?, ?, 'activating', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(id),
      SQLValue(owner),
      .text(identity.id),
      .text(pairing.environment),
      .text(pairing.user.id),
      .blob(try dataKey.seal(pairing.user.json.serialized, at: Self.place(id, owner, "user"))),
      .text(JSON.array(pairing.authenticators.map(\.json)).text),
      .text(pairing.id),
      .blob(wrapped),
      SQLValue(secret),
      SQLValue(pairing.oath?.algorithm.storedName),
      SQLValue(pairing.oath?.digits),
      SQLValue(pairing.oath?.period),
      SQLValue(now.milliseconds)
    )
  }

  /// Stores that an account is in force, with the outcome of each authenticator, in place of what this device had
  /// for the same user before.
  func activateAccount(_ id: String, of owner: uid_t, _ authenticators: [PairedAuthenticator]) throws {
    try transaction { database in
      try database.run(
        """
        DELETE FROM account
        WHERE owner = ?1 AND id != ?2 AND (identity, environment, user_id) =
          (SELECT identity, environment, user_id FROM account WHERE id = ?2)
        """,
        SQLValue(owner),
        .text(id)
      )
      let count = try database.run(
        "UPDATE account SET state = 'active', authenticators = ? WHERE id = ? AND owner = ?",
        .text(JSON.array(authenticators.map(\.json)).text),
        .text(id),
        SQLValue(owner)
      )
      // It was erased while the platform was asked.
      guard count == 1 else { throw RPCError.notConfigured }
    }
  }

  /// Marks an account that the platform does not know any more; its secret goes, since nothing takes it.
  func revokeAccount(_ id: String) throws {
    try database.run("UPDATE account SET state = 'revoked', secret = NULL WHERE id = ?", .text(id))
  }

  /// Stores what its owner calls an account.
  func setNickname(_ nickname: String, of id: String) throws {
    try database.run("UPDATE account SET nickname = ? WHERE id = ?", .text(nickname), .text(id))
  }

  /// Removes an account with its pushes; false if it was gone already.
  @discardableResult
  func deleteAccount(_ id: String) throws -> Bool {
    try database.run("DELETE FROM account WHERE id = ?", .text(id)) == 1
  }

  /// Stores what closes an account, or that nothing does.
  func setLock(_ lock: AccountLock?, on account: String, of owner: uid_t) throws {
    try database.run(
      "UPDATE account SET locked_until = ?, lock_policy = ? WHERE id = ? AND owner = ?",
      SQLValue(lock?.expiresAt?.milliseconds),
      SQLValue(lock?.policy),
      .text(account),
      SQLValue(owner)
    )
  }

  /// The accounts of all owners whose lock ends by itself.
  func lockedAccounts() throws -> [(account: String, owner: uid_t)] {
    try database.rows("SELECT id, owner FROM account WHERE locked_until IS NOT NULL") {
      ($0.text(0), uid_t(truncatingIfNeeded: $0.int(1)))
    }
  }

  private static func place(_ id: String, _ owner: uid_t, _ column: StaticString) -> Place {
    Place(table: "account", row: id, owner: owner, column: column)
  }
}

extension HashAlgorithm {
  var storedName: String {
    switch self {
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  init?(storedName: String) {
    guard let algorithm = HashAlgorithm.allCases.first(where: { $0.storedName == storedName }) else {
      return nil
    }
    self = algorithm
  }
}

extension PairedAuthenticator {
  init?(stored json: JSON) {
    guard let type = json["type"]?.string, let status = json["status"]?.string else { return nil }
    self.init(
      type: type,
      status: status,
      errorCode: json["errorCode"]?.string,
      errorMessage: json["errorMessage"]?.string
    )
  }
}
