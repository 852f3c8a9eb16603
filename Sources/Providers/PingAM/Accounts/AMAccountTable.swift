public import AMEnrolments
public import Accounts
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import OpenSSL
internal import SQLite
internal import Vault
public import WebAddress

/// Rows of `am_account`.
@EventLoop
struct AMAccountTable {
  let accounts: Accounts

  /// The accounts of an owner in the order in which they were made, with those that are not in force.
  func all(of owner: uid_t) throws -> [AMAccount] {
    try accounts.records(of: owner).filter { $0.kind == .pushAM }.compactMap(account)
  }

  func account(_ record: AccountRecord) throws -> AMAccount? {
    let row = try accounts.core.vault.database.row(
      "SELECT * FROM am_account WHERE account = ?",
      .text(record.id)
    ) {
      $0
    }
    guard let row else { return nil }
    guard let authenticate = WebURL(row.text("authenticate_url")),
      let refresh = WebURL(row.text("refresh_url"))
    else { throw SealingError.damaged }
    return AMAccount(
      account: record,
      mechanism: row.text("mechanism"),
      authenticate: authenticate,
      refresh: refresh,
      user: try row.optionalBlob("user").map {
        try accounts.dataKey(of: record).openText($0, as: Self.label("pingam.user", record))
      },
      policies: AMPolicies(row.text("policies")),
      resource: row.optionalText("resource")
    )
  }

  /// What an account and its server share; of an owner who is locked it throws `locked`.
  func secret(of record: AccountRecord) throws -> Secret {
    let guarded = try accounts.core.vault.database.row(
      "SELECT secret, is_guarded FROM am_account WHERE account = ?",
      .text(record.id)
    ) { GuardedSecret($0.blob(0), isGuarded: $0.flag(1)) }
    guard let guarded else { throw SealingError.damaged }
    return try accounts.core.vault.sealer.open(
      guarded,
      beside: accounts.dataKey(of: record),
      as: Self.label("pingam.secret", record)
    )
  }

  /// Has the secrets of an owner guarded that are not yet.
  func guardSecrets(of owner: uid_t) throws {
    let rows = try accounts.core.vault.database.rows(
      "SELECT account, secret FROM am_account WHERE owner = ? AND is_guarded = 0",
      SQLValue(owner)
    ) { ($0.text(0), $0.blob(1)) }
    for (id, sealed) in rows {
      try accounts.core.vault.sealer.unlessDamaged("account", of: owner) {
        guard let record = try accounts.record(id, of: owner) else { return }
        let (key, label) = (try accounts.dataKey(of: record), Self.label("pingam.secret", record))
        let secret = try key.openSecret(sealed, as: label)
        let guarded = try accounts.core.vault.sealer.seal(secret, guardedBeside: key, as: label)
        try accounts.core.vault.write {
          try $0.run(
            "UPDATE am_account SET secret = ?, is_guarded = ? WHERE account = ?",
            .blob(guarded.sealed),
            SQLValue(guarded.isGuarded),
            .text(id)
          )
        }
      }
    }
  }

  func insert(_ credential: AMPushCredential, of record: AccountRecord) throws {
    let key = try accounts.dataKey(of: record)
    try accounts.core.vault.write {
      let secret = try accounts.core.vault.sealer.seal(
        credential.secret,
        guardedBeside: key,
        as: Self.label("pingam.secret", record)
      )
      try $0.run(
        """
        INSERT INTO am_account (
          account, owner, mechanism, authenticate_url, refresh_url, secret, is_guarded, user, policies, resource)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(record.id),
        SQLValue(record.owner),
        .text(credential.mechanism),
        .text(credential.authenticate.text),
        .text(credential.refresh.text),
        .blob(secret.sealed),
        SQLValue(secret.isGuarded),
        SQLValue(try credential.user.map { try key.seal($0, as: Self.label("pingam.user", record)) }),
        .text(credential.policies.text),
        SQLValue(credential.resource)
      )
    }
  }

  /// The account of an owner whose pushes have that id, if it is there; this needs no key.
  func account(withMechanism mechanism: String, of owner: uid_t) throws -> String? {
    try accounts.core.vault.database.row(
      "SELECT account FROM am_account WHERE owner = ? AND mechanism = ?",
      SQLValue(owner),
      .text(mechanism)
    ) { $0.text(0) }
  }

  /// Who the server knows an account by, learnt from a push that was verified.
  func setUser(_ user: String, of record: AccountRecord) throws {
    let sealed = try accounts.dataKey(of: record).seal(user, as: Self.label("pingam.user", record))
    try accounts.core.vault.write {
      try $0.run("UPDATE am_account SET user = ? WHERE account = ?", .blob(sealed), .text(record.id))
    }
  }

  /// The accounts whose servers do not know by which address pushes come; this needs no key.
  func untold() throws -> [(account: String, owner: uid_t)] {
    try accounts.core.vault.database.rows("SELECT account, owner FROM am_account WHERE token_told = 0") {
      ($0.text("account"), uid_t(truncatingIfNeeded: $0.int("owner")))
    }
  }

  func isTold(_ account: String) throws -> Bool {
    try accounts.core.vault.database.row(
      "SELECT token_told FROM am_account WHERE account = ?",
      .text(account)
    ) {
      $0.flag(0)
    } ?? true
  }

  func setTold(_ isTold: Bool, account: String) throws {
    try accounts.core.vault.write {
      try $0.run("UPDATE am_account SET token_told = ? WHERE account = ?", SQLValue(isTold), .text(account))
    }
  }

  /// Everybody who has such an account, however far it is; this needs no key.
  func owners() throws -> [uid_t] {
    try accounts.core.vault.database.rows("SELECT DISTINCT owner FROM am_account") {
      uid_t(truncatingIfNeeded: $0.int(0))
    }
  }

  /// How many rows an owner has, and the bytes of their long values.
  func usage(of owner: uid_t) throws -> Quota.Usage {
    try accounts.core.vault.usage(
      of: owner,
      by: """
        SELECT count(*) AS rows, coalesce(sum(length(authenticate_url) + length(refresh_url) + length(secret)
          + length(coalesce(user, '')) + length(policies)), 0) AS bytes
        FROM am_account WHERE owner = ?
        """
    )
  }

  private static func label(_ name: StaticString, _ record: AccountRecord) -> SealLabel {
    SealLabel(name, row: record.id, owner: record.owner)
  }
}

/// What PingAM adds to an account: a row of `am_account`, opened but for its secret.
public struct AMAccount: Sendable {
  public let account: AccountRecord
  /// What the server knows these pushes by, made here.
  public let mechanism: String
  /// Where pushes are answered.
  public let authenticate: WebURL
  /// Where the server hears of another transport.
  public let refresh: WebURL
  /// The identity's name at the server.
  public let user: String?
  public let policies: AMPolicies
  /// What the server knows the device for pushes by, if it said so.
  public let resource: String?
}
