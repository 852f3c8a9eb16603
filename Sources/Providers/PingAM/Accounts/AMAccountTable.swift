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

  /// Returns the accounts of an owner in the order of their creation, including inactive ones.
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
      resource: row.optionalText("resource"),
      isAddressRefused: row.int("address_refused") != 0
    )
  }

  /// Returns the secret that an account shares with its server; throws `locked` if the owner is locked.
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

  /// Guards each of an owner's secrets that is not guarded yet.
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

  /// Returns the ID of an owner's account with this mechanism, if there is one; needs no key.
  func account(withMechanism mechanism: String, of owner: uid_t) throws -> String? {
    try accounts.core.vault.database.row(
      "SELECT account FROM am_account WHERE owner = ? AND mechanism = ?",
      SQLValue(owner),
      .text(mechanism)
    ) { $0.text(0) }
  }

  /// Stores the account's user name at the server, learnt from a verified push.
  func setUser(_ user: String, of record: AccountRecord) throws {
    let sealed = try accounts.dataKey(of: record).seal(user, as: Self.label("pingam.user", record))
    try accounts.core.vault.write {
      try $0.run("UPDATE am_account SET user = ? WHERE account = ?", .blob(sealed), .text(record.id))
    }
  }

  /// Returns the accounts with a push address that their servers do not know yet; needs no key.
  func accountsWithUnsentAddress() throws -> [(account: String, owner: uid_t)] {
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

  func setAddressSent(_ isTold: Bool, account: String) throws {
    try accounts.core.vault.write {
      try $0.run(
        "UPDATE am_account SET token_told = ?, address_refused = 0 WHERE account = ?",
        SQLValue(isTold),
        .text(account)
      )
    }
  }

  /// Stores that the server refused the push address; the next address or answer clears this.
  func setAddressRefused(account: String) throws {
    try accounts.core.vault.write {
      try $0.run("UPDATE am_account SET address_refused = 1 WHERE account = ?", .text(account))
    }
  }

  /// Returns the owners of PingAM accounts in any state; needs no key.
  func owners() throws -> [uid_t] {
    try accounts.core.vault.database.rows("SELECT DISTINCT owner FROM am_account") {
      uid_t(truncatingIfNeeded: $0.int(0))
    }
  }

  /// Returns an owner's number of rows and the size of their long values in bytes.
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

/// PingAM's part of an account: a row of `am_account`, unsealed except for its secret.
public struct AMAccount: Sendable {
  public let account: AccountRecord
  /// The account's ID in pushes and answers; the authenticator generates it at the enrolment.
  public let mechanism: String
  /// The URL that answers to pushes are sent to.
  public let authenticate: WebURL
  /// The URL that address changes are sent to.
  public let refresh: WebURL
  /// The user's name at the server; `nil` until it is known.
  public let user: String?
  public let policies: AMPolicies
  /// The server's ID of the push device, if the server sent one.
  public let resource: String?
  /// True if the server refused this machine's push address, so that its pushes go elsewhere.
  public let isAddressRefused: Bool
}
