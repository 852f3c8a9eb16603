public import AMEnrolments
public import Accounts
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import OpenSSL
internal import Text
public import Time
public import Vault
internal import WebAddress

/// The accounts with pushes from PingAM servers, and with passcodes if the server enrolled both.
@EventLoop
public final class AMAccounts: AccountKind, PasscodeSource {
  public nonisolated var kind: Account.Kind { .pushAM }
  let core: Core
  public let accounts: Accounts
  let passcodes: Passcodes
  let table: AMAccountTable
  /// The current measurements of this machine.
  let facts: @EventLoop () -> AMHostFacts
  private var readinessObservers: [@EventLoop (AMAccount) -> Void] = []

  public init(
    _ core: Core,
    accounts: Accounts,
    passcodes: Passcodes,
    facts: @escaping @EventLoop () -> AMHostFacts
  ) {
    (self.core, self.accounts, self.passcodes, self.facts) = (core, accounts, passcodes, facts)
    table = AMAccountTable(accounts: accounts)
    accounts.register(self)
    accounts.whenListed { [weak self] in try self?.applyPolicies(of: $0) }
    core.register(self)
  }

  /// Returns the active accounts of an owner.
  public func active(of owner: uid_t) throws -> [AMAccount] {
    try table.all(of: owner).filter(\.account.isActive)
  }

  public func accounts(
    makingPasscodesFor receiver: String,
    user: String?,
    device: String?,
    of owner: uid_t
  ) throws -> [AccountRecord] {
    // These accounts have no user ID and no device ID that could be compared with the parameters.
    guard user == nil, device == nil else { return [] }
    return try active(of: owner)
      .filter { $0.authenticate.origin.text.hasSameBytes(as: receiver) }
      .map(\.account)
      .filter { try passcodes.strength(of: $0).hasSecret }
  }

  /// Returns the account that a request belongs to, if it is active.
  func active(_ id: String?, of owner: uid_t) throws -> AMAccount? {
    try active(of: owner).first { $0.account.id == id }
  }

  /// Stores a new account.
  func insert(_ credential: AMPushCredential, state: AccountRecord.State, owner: uid_t) throws
    -> AccountRecord
  {
    try core.vault.write { _ in
      let account = try accounts.insert(
        kind: .pushAM,
        owner: owner,
        state: state,
        issuer: DisplayText.clean(credential.issuer),
        label: DisplayText.clean(credential.account),
        identityKey: Self.identityKey(of: credential)
      )
      try table.insert(credential, of: account)
      return account
    }
  }

  /// Returns the active account with the same server, issuer and name.
  func inForce(_ credential: AMPushCredential, of owner: uid_t) throws -> AccountRecord? {
    try accounts.inForce(kind: .pushAM, owner: owner, identityKey: Self.identityKey(of: credential))
  }

  private static func identityKey(of credential: AMPushCredential) -> [String] {
    [credential.authenticate.origin.text, credential.issuer, credential.account]
  }

  /// Calls a handler when the push address of an account can be sent to the server.
  ///
  /// This is so when the user's name at the server becomes known, or when the account is unlocked.
  func whenReady(_ handler: @escaping @EventLoop (AMAccount) -> Void) { readinessObservers.append(handler) }

  /// Notifies the observers after the current transaction commits; must be called within a transaction.
  private func announceReady(_ account: AMAccount) {
    core.vault.whenCommitted { [weak self] in
      for observer in self?.readinessObservers ?? [] { observer(account) }
    }
  }

  /// Stores the user's name at the server from a verified push.
  func learn(_ user: String, of account: AMAccount) throws {
    try core.vault.write { _ in
      try table.setUser(user, of: account.account)
      announceReady(account)
    }
  }

  func secret(of account: AMAccount) throws -> Secret { try table.secret(of: account.account) }

  public func describe(_ account: AccountRecord) throws -> AccountDetails {
    guard let known = try table.account(account) else { throw RPCError.noSuch("account") }
    let oath = try passcodes.strength(of: account)
    var authenticators = [
      PairedAuthenticator(
        type: "PUSH",
        status: known.isAddressRefused ? "FAILED" : "COMPLETED",
        errorMessage: known.isAddressRefused ? Self.addressRefused : nil
      )
    ]
    if oath.hasSecret { authenticators.append(PairedAuthenticator(type: "OTP", status: "COMPLETED")) }
    return AccountDetails(
      user: known.user.map { User(id: $0) },
      authenticators: authenticators,
      hasWeakSecret: oath.isWeak
    )
  }

  private static let addressRefused =
    "the server refused the push address of this machine, so its pushes do not arrive here"

  /// Does nothing: the device name at the server can only be changed with a session.
  public func rename(_ account: AccountRecord, to nickname: String) async throws {}

  /// Fails, because only the user's sign-on can remove a device at the server.
  public func remove(_ account: AccountRecord) async throws {
    throw RPCError.signOnNeeded("authctl devices remove --journey NAME")
  }

  /// Discards accounts with a registration that the end of the program interrupted.
  ///
  /// A registration challenge is valid once, so the registration is not repeated. If the server lists the
  /// device, the user must remove it there, then enrol again.
  public func discardBrokenOff(except underWay: Set<String>) throws {
    for owner in try table.owners() {
      let records = try core.vault.sealer.unlessDamaged("account", of: owner) {
        try accounts.records(of: owner)
      }
      for record in records ?? []
      where record.kind == .pushAM && record.state == .activating && !underWay.contains(record.id) {
        try accounts.discard(record.id, of: owner)
        warnOfLeftover(of: owner)
      }
    }
  }

  /// Warns that a server may have registered an enrolment that failed here.
  func warnOfLeftover(of owner: uid_t) {
    Journal.warning(
      "an enrolment was interrupted; its server may list a device that does not exist here",
      ["uid": owner]
    )
  }
}

// A server policy locks an account as long as this machine does not satisfy it. A locked account has no
// passcodes, no decisions (not even denials) and cannot be renamed.

extension AMAccounts {
  public func closure(of account: AccountRecord) throws -> AccountLock? {
    try table.account(account).flatMap { lock(of: $0) }
  }

  /// Returns the lock of an account on this machine in its current state.
  func lock(of account: AMAccount) -> AccountLock? {
    account.policies.firstUnmet(by: facts()).map { AccountLock(policy: $0.rawValue, expiresAt: nil) }
  }

  /// Locks and unlocks the accounts of an owner according to the current state of this machine.
  private func applyPolicies(of owner: uid_t) throws {
    for account in try active(of: owner) {
      let lock = lock(of: account)
      let isOpened = lock == nil && account.account.lock != nil
      try accounts.setLock(lock, on: account.account.id, of: owner)
      if isOpened { announceReady(account) }
    }
  }
}

extension AMAccounts: OwnedComponent {
  /// `mechanism` identifies an account of its owner.
  ///
  /// It stays the same if the account moves to another authenticator.
  public nonisolated static let schema: StaticString = """
    CREATE TABLE am_account (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      mechanism TEXT NOT NULL,
      authenticate_url TEXT NOT NULL,
      refresh_url TEXT NOT NULL,
      secret BLOB NOT NULL,
      user BLOB,
      policies TEXT NOT NULL,
      token_told INTEGER NOT NULL DEFAULT 1,
      address_refused INTEGER NOT NULL DEFAULT 0,
      resource TEXT,
      is_guarded INTEGER NOT NULL DEFAULT 0,
      UNIQUE (owner, mechanism)
    ) STRICT;
    """

  public nonisolated static var restoration: RestorationRules { .none }

  public func usage(of owner: uid_t) throws -> Quota.Usage { try table.usage(of: owner) }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  public func guardSecrets(of owner: uid_t) throws { try table.guardSecrets(of: owner) }

  public func forget(_ owner: uid_t) {}
}
