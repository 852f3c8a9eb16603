public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
public import JSONRPC
internal import Journal
internal import SQLite
internal import Text
internal import Time
public import Vault

/// The accounts of all owners, of all kinds.
@EventLoop
public final class Accounts {
  public let core: Core
  let table: AccountTable
  public let enrolments = Enrolments()
  public let imports = Imports()
  private var kinds: [Account.Kind: any AccountKind] = [:]
  private var observers: [@EventLoop (AccountRecord) throws -> Void] = []
  private var listingHandlers: [@EventLoop (uid_t) throws -> Void] = []
  let removals = SingleFlight<OwnedKey, Void>()

  private let errorWithoutAccounts: @EventLoop (uid_t) throws -> RPCError

  /// Maximum number of accounts of an owner.
  public nonisolated static let limit = 64

  /// `errorWithoutAccounts` returns the error for an owner that has no active account to choose.
  public init(_ core: Core, errorWithoutAccounts: @escaping @EventLoop (uid_t) throws -> RPCError) {
    (self.core, self.errorWithoutAccounts) = (core, errorWithoutAccounts)
    table = AccountTable(core.vault)
    core.register(self)
  }

  public func register(_ kind: any AccountKind) { kinds[kind.kind] = kind }

  /// Registers a handler that runs in the transaction that removes an account or marks it as revoked.
  public func onAccountRemoved(_ handler: @escaping @EventLoop (AccountRecord) throws -> Void) {
    observers.append(handler)
  }

  /// Registers a handler that runs before an owner's accounts are listed, to refresh data that may be
  /// outdated.
  public func whenListed(_ handler: @escaping @EventLoop (uid_t) throws -> Void) {
    listingHandlers.append(handler)
  }

  // MARK: Reading

  /// Returns the accounts that an owner sees: active and revoked accounts, and unfinished accounts of kinds
  /// that show them.
  public func list(of owner: uid_t) throws -> [Account] {
    for handler in listingHandlers { try handler(owner) }
    return try records(of: owner).filter(isShown).compactMap { try shown($0) }
  }

  /// True if the owner sees an account; accounts in creation are hidden unless their kind shows them.
  private func isShown(_ account: AccountRecord) -> Bool {
    account.state != .activating || kinds[account.kind]?.showsUnfinished ?? false
  }

  /// Returns all accounts of an owner by creation time.
  public func records(of owner: uid_t) throws -> [AccountRecord] { try table.all(of: owner) }

  /// Returns the account with this id in any state.
  public func record(_ id: String, of owner: uid_t) throws -> AccountRecord? {
    try records(of: owner).first { $0.id == id }
  }

  public func activeCount(of owner: uid_t) throws -> Int { try table.activeCount(of: owner) }

  /// Returns the account with this id, or the owner's only active account if `id` is nil.
  ///
  /// Throws if the account is not active, or if a lock prevents its local use.
  public func usable(_ id: String?, of owner: uid_t) throws -> AccountRecord {
    let account = try meant(id, of: owner)
    if let lock = try kind(of: account).closure(of: account) { throw RPCError.accountLocked(lock) }
    return account
  }

  private func meant(_ id: String?, of owner: uid_t) throws -> AccountRecord {
    let accounts = try records(of: owner)
    if let id {
      switch accounts.first(where: { $0.id == id && isShown($0) }) {
      case nil: throw RPCError.noSuch("account")
      case let account? where account.isActive: return account
      case .some: throw RPCError.notPaired
      }
    }
    // Fast path for passcodes: the usual case of one account copies nothing.
    if accounts.count == 1, accounts[0].isActive { return accounts[0] }
    let active = accounts.filter(\.isActive)
    guard let first = active.first else { throw try errorWithoutAccounts(owner) }
    guard active.count == 1 else {
      throw RPCError.ambiguous.with(["accounts": .strings(active.map(\.id))])
    }
    return first
  }

  // MARK: Making

  /// Throws if an owner already has the maximum number of accounts.
  public func checkRoom(of owner: uid_t) throws {
    guard try hasRoom(for: owner) else { throw RPCError.quota(Self.limit, "accounts") }
  }

  /// True if an owner may have one more account.
  public func hasRoom(for owner: uid_t) throws -> Bool { try records(of: owner).count < Self.limit }

  /// Stores a new account; `identityKey` contains the values that identify an account of its kind.
  public func insert(
    kind: Account.Kind,
    owner: uid_t,
    state: AccountRecord.State,
    issuer: String? = nil,
    label: String,
    identityKey: [String]
  ) throws -> AccountRecord {
    let record = AccountRecord(
      id: try OpaqueID.make(),
      owner: owner,
      kind: kind,
      state: state,
      issuer: issuer,
      label: label,
      nickname: nil,
      lock: nil,
      createdAt: core.time.now()
    )
    try core.vault.write { _ in
      try core.owners.enter(owner)
      try table.insert(record, digest: try digest(kind, identityKey))
    }
    return record
  }

  private func digest(_ kind: Account.Kind, _ identityKey: [String]) throws -> [UInt8] {
    try core.vault.sealer.digest("account", [kind.rawValue] + identityKey)
  }

  /// True if the owner has an active account with this identity.
  public func isInForce(kind: Account.Kind, owner: uid_t, identityKey: [String]) throws -> Bool {
    try inForce(kind: kind, owner: owner, identityKey: identityKey) != nil
  }

  /// Returns the owner's active account with this identity, if there is one.
  public func inForce(kind: Account.Kind, owner: uid_t, identityKey: [String]) throws -> AccountRecord? {
    let id = try core.vault.database.row(
      "SELECT id FROM account WHERE owner = ? AND digest = ? AND state = 'active'",
      SQLValue(owner),
      .blob(try digest(kind, identityKey))
    ) { $0.text(0) }
    return try id.flatMap { try record($0, of: owner) }
  }

  /// Activates an account and deletes all other accounts of the owner with the same identity.
  public func activate(_ id: String, of owner: uid_t) throws {
    // The account is gone: its owner may have been erased during the request to the server.
    guard try table.activate(id, of: owner) else { throw RPCError.notConfigured }
  }

  /// Returns the key with which a kind of accounts seals its own values for an account.
  public func dataKey(of account: AccountRecord) throws -> DataKey {
    try table.dataKey(of: account.id, owner: account.owner)
  }

  // MARK: Changing

  /// Renames an account, first at the server and then here; if the server refuses, the old name stays.
  public func rename(_ id: String, to nickname: String, owner: uid_t) async throws -> Account {
    let record = try usable(id, of: owner)
    let nickname = DisplayText.clean(nickname)
    guard !nickname.isEmpty else { throw RPCError.invalidParameter("nickname") }
    try await kind(of: record).rename(record, to: nickname)
    try setNickname(nickname, of: record)
    guard let shown = try publish(id, of: owner) else { throw RPCError.noSuch("account") }
    return shown
  }

  /// Stores the issuer of an account, which a server may send only after the account was inserted.
  public func setIssuer(_ issuer: String, of account: AccountRecord) throws {
    try table.setIssuer(issuer, of: account.id, owner: account.owner)
  }

  /// Stores the nickname that the server has for an account; nil if it has none.
  public func setNickname(_ nickname: String?, of account: AccountRecord) throws {
    try table.setNickname(nickname, of: account.id, owner: account.owner)
  }

  /// Removes an account at the server and here, or only here if `localOnly`.
  ///
  /// Returns true if the server may still have the account.
  public func remove(_ id: String, localOnly: Bool, owner: uid_t) async throws -> Bool {
    guard let record = try record(id, of: owner), isShown(record) else { throw RPCError.noSuch("account") }
    let removed = try shown(record, state: .removed)
    // The server may already have an account that is still in creation.
    let mayRemain = record.state != .revoked
    if mayRemain, !localOnly {
      let kind = try kind(of: record)
      try await removals.run(OwnedKey(record.id, of: owner), changing: core.vault) {
        try await kind.remove(record)
      }
    }
    try core.vault.write { _ in
      // If another call removed the account during the request, that call has notified subscribers.
      guard try table.delete(id, of: owner) else { return }
      for observer in observers { try observer(record) }
      core.audit.endCount(of: id, owner: owner)
      Journal.info("unpaired", ["uid": owner])
      core.vault.whenCommitted { [core] in
        if let removed { core.events.publish(.account, of: owner, removed) }
      }
    }
    return mayRemain && localOnly
  }

  /// Removes an account in creation, without a request to the server.
  public func discard(_ id: String, of owner: uid_t) throws {
    guard let record = try record(id, of: owner), record.state == .activating else { return }
    let removed = isShown(record) ? try shown(record, state: .removed) : nil
    try core.vault.write { _ in
      _ = try table.delete(id, of: owner)
      core.vault.whenCommitted { [core] in
        if let removed { core.events.publish(.account, of: owner, removed) }
      }
    }
  }

  /// Marks an account as revoked by the server and runs the handlers, which cancel its open requests.
  ///
  /// Ignores an account that is not active yet: the component that creates the account discards it.
  public func revoke(_ account: AccountRecord) throws {
    guard account.isActive else { return }
    try core.vault.write { _ in
      for observer in observers { try observer(account) }
      try table.revoke(account.id, of: account.owner)
      core.vault.whenCommitted { [weak self] in _ = try? self?.publish(account.id, of: account.owner) }
    }
  }

  // MARK: Telling

  /// Sends the current state of an account to subscribers and returns it; nil if the account is not shown.
  @discardableResult
  public func publish(_ account: String, of owner: uid_t) throws -> Account? {
    let record = try record(account, of: owner).flatMap { isShown($0) ? $0 : nil }
    let shown = try record.flatMap { try self.shown($0) }
    if let shown { core.events.publish(.account, of: owner, shown) }
    return shown
  }

  public func shown(_ record: AccountRecord) throws -> Account? {
    try shown(record, state: record.state.shown)
  }

  private func shown(_ record: AccountRecord, state: Account.State) throws -> Account? {
    let details = try kind(of: record).describe(record)
    let account = Account(
      id: record.id,
      kind: record.kind,
      geography: details.geography,
      environment: details.environment,
      user: details.user,
      issuer: record.issuer,
      label: record.label,
      nickname: record.nickname,
      authenticators: details.authenticators,
      lock: lockInForce(record),
      hasWeakSecret: details.hasWeakSecret,
      createdAt: record.createdAt,
      state: state
    )
    return try core.vault.isLocked(record.owner) ? account.impersonal : account
  }

  private func kind(of record: AccountRecord) throws -> any AccountKind {
    guard let kind = kinds[record.kind] else { throw RPCError.noSuch("account") }
    return kind
  }
}
