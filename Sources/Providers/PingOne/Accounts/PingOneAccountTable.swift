public import Accounts
public import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import SQLite
internal import Vault

/// The device service's part of an account: an unsealed row of `pingone_account`.
public struct PingOneAccount: Sendable {
  public let account: AccountRecord
  /// The ID of the paired identity.
  public let identity: String
  public let environment: String
  public let user: User
  public let authenticators: [PairedAuthenticator]
  /// The ID of the pairing at the platform; used until the first passcode check is complete.
  let platformPairing: String
}

/// Rows of `pingone_account`.
@EventLoop
struct PingOneAccountTable {
  let accounts: Accounts
  private let records: OwnerCache<[PingOneAccount]>

  init(_ accounts: Accounts) { (self.accounts, records) = (accounts, accounts.core.vault.cache()) }

  func forget(_ owner: uid_t) { records.forget(owner) }

  /// Returns the accounts of an owner in the order of their creation, including inactive ones.
  func all(of owner: uid_t) throws -> [PingOneAccount] {
    let known = try accounts.records(of: owner).filter { $0.kind == .pingOne }
    let cached = try records.value(of: owner) { try known.compactMap(read) }
    // A change of a row in `account` does not clear this cache. Read the accounts again after such a change.
    guard cached.count == known.count, zip(cached, known).allSatisfy({ $0.account.isSame(as: $1) }) else {
      let read = try known.compactMap(read)
      records.set(read, of: owner)
      return read
    }
    return cached
  }

  /// True if an account of an identity is active; needs no key.
  func isPaired(_ identity: Identity) throws -> Bool {
    try accounts.core.vault.database.row(
      """
      SELECT 1 FROM account JOIN pingone_account ON account = id
      WHERE owner = ? AND state = 'active' AND identity = ? LIMIT 1
      """,
      SQLValue(identity.owner),
      .text(identity.id)
    ) { _ in true } ?? false
  }

  private func read(_ account: AccountRecord) throws -> PingOneAccount? {
    let row = try accounts.core.vault.database.row(
      "SELECT * FROM pingone_account WHERE account = ?",
      .text(account.id)
    ) { $0 }
    guard let row else { return nil }
    return PingOneAccount(
      account: account,
      identity: row.text("identity"),
      environment: row.text("environment"),
      user: try accounts.dataKey(of: account).openUser(row.blob("user"), as: Self.userLabel(account)),
      authenticators: try JSON(parsing: row.text("authenticators")).array?
        .compactMap(PairedAuthenticator.init(stored:)) ?? [],
      platformPairing: row.text("platform_pairing")
    )
  }

  func insert(_ pairing: PlatformPairing, of account: AccountRecord, identity: Identity) throws {
    let sealed = try accounts.dataKey(of: account).seal(pairing.user, as: Self.userLabel(account))
    forget(account.owner)
    try accounts.core.vault.write {
      try $0.run(
        """
        INSERT INTO pingone_account (account, identity, environment, user, authenticators, platform_pairing)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        .text(account.id),
        .text(identity.id),
        .text(pairing.environment),
        .blob(sealed),
        .text(JSON.array(pairing.authenticators.map(\.stored)).text),
        .text(pairing.id)
      )
    }
  }

  func setAuthenticators(_ authenticators: [PairedAuthenticator], of account: String, owner: uid_t) throws {
    forget(owner)
    try accounts.core.vault.write {
      try $0.run(
        "UPDATE pingone_account SET authenticators = ? WHERE account = ?",
        .text(JSON.array(authenticators.map(\.stored)).text),
        .text(account)
      )
    }
  }

  private static func userLabel(_ account: AccountRecord) -> SealLabel {
    SealLabel("pingone.user", row: account.id, owner: account.owner)
  }
}

extension AccountRecord {
  fileprivate func isSame(as other: AccountRecord) -> Bool {
    id == other.id && state == other.state && nickname == other.nickname && lock == other.lock
  }
}

extension PairedAuthenticator {
  fileprivate var stored: JSON {
    var object: JSONObject = ["type": .string(type), "status": .string(status)]
    object["errorCode"] = errorCode.map { .string($0) }
    object["errorMessage"] = errorMessage.map { .string($0) }
    return .object(object)
  }

  fileprivate init?(stored json: JSON) {
    guard let type = json["type"]?.string, let status = json["status"]?.string else { return nil }
    self.init(
      type: type,
      status: status,
      errorCode: json["errorCode"]?.string,
      errorMessage: json["errorMessage"]?.string
    )
  }
}
