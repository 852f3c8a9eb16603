public import Accounts
internal import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Settings
public import Time
public import Vault

/// The accounts that a device service paired.
@EventLoop
public final class PingOneAccounts: AccountKind, PasscodeSource {
  public nonisolated var kind: Account.Kind { .pingOne }
  public let accounts: Accounts
  let devices: Devices
  let table: PingOneAccountTable
  /// Owners with a pairing or unpairing in progress.
  private var pairingOwners: Set<uid_t> = []

  public init(accounts: Accounts, devices: Devices) {
    (self.accounts, self.devices) = (accounts, devices)
    table = PingOneAccountTable(accounts)
    accounts.register(self)
    accounts.core.register(self)
    devices.whenForgotten { [weak self] in try self?.revokeAll(of: $0) }
  }

  /// Returns the active accounts of an owner.
  public func active(of owner: uid_t) throws -> [PingOneAccount] {
    try table.all(of: owner).filter(\.account.isActive)
  }

  public func account(_ id: String, of owner: uid_t) throws -> PingOneAccount? {
    try table.all(of: owner).first { $0.account.id == id }
  }

  /// Returns a user's active accounts in the environment of the issuer `receiver`.
  ///
  /// Their passcodes may be sent to this issuer. The user ID alone is not enough, because a sign-on page may
  /// name a user of another issuer. The URL format or the configuration gives an issuer's environment. For
  /// any other issuer, the platform of the account must have announced it.
  public func accounts(
    makingPasscodesFor receiver: String,
    user: String?,
    device: String?,
    of owner: uid_t
  ) throws -> [AccountRecord] {
    guard let user else { return [] }
    let environment = devices.core.settings.current.tenant(of: receiver)?.environment
    return try active(of: owner).filter { account in
      guard account.user.id == user else { return false }
      if let environment { return account.environment == environment }
      return try devices.identity(account.identity)?.issuers.contains { $0.hasSameBytes(as: receiver) }
        ?? false
    }.map(\.account)
  }

  /// True if an account of an identity is active.
  func isPaired(_ identity: Identity) throws -> Bool {
    try active(of: identity.owner).contains { $0.identity == identity.id }
  }

  public func describe(_ account: AccountRecord) throws -> AccountDetails {
    guard let paired = try self.account(account.id, of: account.owner),
      let identity = try devices.identity(paired.identity)
    else { throw RPCError.noSuch("account") }
    return AccountDetails(
      geography: identity.geography,
      environment: paired.environment,
      user: paired.user,
      authenticators: paired.authenticators
    )
  }

  public func rename(_ account: AccountRecord, to nickname: String) async throws {
    let (paired, identity) = try paired(account)
    try await devices.call(identity) { try await $0.setNickname($1, user: paired.user.id, nickname) }
  }

  public func remove(_ account: AccountRecord) async throws {
    let (paired, identity) = try paired(account)
    // Unpairing removes the platform's data about the user. It must not remove the data of a pairing in
    // progress.
    try await guardingPairing(of: account.owner) {
      try await devices.call(identity) { try await $0.unpair($1, user: paired.user.id) }
    }
  }

  private func paired(_ account: AccountRecord) throws -> (PingOneAccount, Identity) {
    guard let paired = try self.account(account.id, of: account.owner),
      let identity = try devices.identity(paired.identity)
    else { throw RPCError.noSuch("account") }
    return (paired, identity)
  }

  private func revokeAll(of identity: Identity) throws {
    for paired in try table.all(of: identity.owner) where paired.identity == identity.id {
      try accounts.revoke(paired.account)
    }
  }

  func isPairing(_ owner: uid_t) -> Bool { pairingOwners.contains(owner) }

  /// Runs `body`; throws `pairingRunning` if a pairing or unpairing of the owner is in progress.
  func guardingPairing<R>(of owner: uid_t, _ body: () async throws -> R) async throws -> R {
    guard pairingOwners.insert(owner).inserted else { throw RPCError.pairingRunning }
    defer { pairingOwners.remove(owner) }
    return try await body()
  }
}

extension PingOneAccounts: OwnedComponent {
  public nonisolated static let schema: StaticString = """
    CREATE TABLE pingone_account (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      environment TEXT NOT NULL,
      user BLOB NOT NULL,
      authenticators TEXT NOT NULL,
      platform_pairing TEXT NOT NULL
    ) STRICT;
    CREATE INDEX pingone_account_identity ON pingone_account (identity);
    """

  public nonisolated static var restoration: RestorationRules { .none }

  public func usage(of owner: uid_t) -> Quota.Usage { .none }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  public func guardSecrets(of owner: uid_t) {}

  public func forget(_ owner: uid_t) { table.forget(owner) }
}
