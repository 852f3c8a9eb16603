public import Accounts
public import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import SQLite
internal import Time
internal import Vault

/// Rows of `pingone_totp_account`.
@EventLoop
struct TOTPAccountTable {
  let accounts: Accounts

  /// Returns the accounts of an owner in the order of their creation, including inactive ones.
  func all(of owner: uid_t) throws -> [TOTPAccount] {
    try accounts.records(of: owner).filter { $0.kind == .pingOneTOTP }.compactMap(account)
  }

  func account(_ account: AccountRecord) throws -> TOTPAccount? {
    let row = try accounts.core.vault.database.row(
      "SELECT * FROM pingone_totp_account WHERE account = ?",
      .text(account.id)
    ) { $0 }
    guard let row else { return nil }
    return TOTPAccount(
      account: account,
      issuer: row.text("issuer"),
      environment: row.text("environment"),
      user: try accounts.dataKey(of: account).openUser(row.blob("user"), as: Self.userLabel(account)),
      device: row.optionalText("device"),
      others: try JSON(parsing: row.text("others")).array?.compactMap(\.string) ?? [],
      begunAt: Timestamp(milliseconds: Int64(row.int("begun_at")))
    )
  }

  func insert(
    _ user: User,
    of account: AccountRecord,
    issuer: String,
    environment: String,
    others: [String],
    begunAt: Timestamp
  ) throws {
    let sealed = try accounts.dataKey(of: account).seal(user, as: Self.userLabel(account))
    try accounts.core.vault.write {
      try $0.run(
        """
        INSERT INTO pingone_totp_account (account, issuer, environment, user, others, begun_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        .text(account.id),
        .text(issuer),
        .text(environment),
        .blob(sealed),
        .text(JSON.strings(others).text),
        SQLValue(begunAt.milliseconds)
      )
    }
  }

  func setDevice(_ device: String, of account: AccountRecord) throws {
    try accounts.core.vault.write {
      try $0.run(
        "UPDATE pingone_totp_account SET device = ? WHERE account = ?",
        .text(device),
        .text(account.id)
      )
    }
  }

  private static func userLabel(_ account: AccountRecord) -> SealLabel {
    SealLabel("pingone_totp.user", row: account.id, owner: account.owner)
  }
}

/// An account that is a passcode device of a PingOne user: an unsealed row of `pingone_totp_account`.
public struct TOTPAccount: Sendable {
  public let account: AccountRecord
  /// The issuer of the sign-on pages that accept these passcodes.
  public let issuer: String
  let environment: String
  public let user: User
  /// The device ID at PingOne; `nil` until PingOne responds to the creation request.
  public let device: String?
  /// The IDs of the devices that existed before the creation request.
  let others: [String]
  /// The time of the creation request by PingOne's clock.
  let begunAt: Timestamp
}
