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

/// The accounts of all owners, whatever kind they are of.
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

  /// The most accounts of an owner.
  public nonisolated static let limit = 64

  /// `errorWithoutAccounts` makes the error of an owner who has no account that could be meant.
  public init(_ core: Core, errorWithoutAccounts: @escaping @EventLoop (uid_t) throws -> RPCError) {
    (self.core, self.errorWithoutAccounts) = (core, errorWithoutAccounts)
    table = AccountTable(core.vault)
    core.register(self)
  }

  /// Adds a kind of accounts.
  public func register(_ kind: any AccountKind) { kinds[kind.kind] = kind }

  /// Calls a handler within the transaction in which an account ceases to be in force.
  public func whenGone(_ handler: @escaping @EventLoop (AccountRecord) throws -> Void) {
    observers.append(handler)
  }

  /// Calls a handler before the accounts of an owner are listed, for what is only as new as the last look at it.
  public func whenListed(_ handler: @escaping @EventLoop (uid_t) throws -> Void) {
    listingHandlers.append(handler)
  }

  // MARK: Reading

  /// The accounts that are in force, and those that their other side has revoked.
  public func list(of owner: uid_t) throws -> [Account] {
    for handler in listingHandlers { try handler(owner) }
    return try records(of: owner).filter(isShown).compactMap { try shown($0) }
  }

  /// Whether an account is one to its owner; what is only being made is none yet.
  private func isShown(_ account: AccountRecord) -> Bool {
    account.state != .activating || kinds[account.kind]?.showsUnfinished ?? false
  }

  /// All accounts of an owner in the order in which they were made.
  public func records(of owner: uid_t) throws -> [AccountRecord] { try table.all(of: owner) }

  /// The account of that id, however far it is.
  public func record(_ id: String, of owner: uid_t) throws -> AccountRecord? {
    try records(of: owner).first { $0.id == id }
  }

  public func activeCount(of owner: uid_t) throws -> Int { try table.activeCount(of: owner) }

  /// The account of that id, or its owner's only one, to be used.
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
    // A passcode is asked for often: the usual case copies nothing.
    if accounts.count == 1, accounts[0].isActive { return accounts[0] }
    let active = accounts.filter(\.isActive)
    guard let first = active.first else { throw try errorWithoutAccounts(owner) }
    guard active.count == 1 else {
      throw RPCError.ambiguous.with(["accounts": .strings(active.map(\.id))])
    }
    return first
  }

  // MARK: Making

  /// Refuses to begin what would make one account more than an owner may have.
  public func checkRoom(of owner: uid_t) throws {
    guard try hasRoom(for: owner) else { throw RPCError.quota(Self.limit, "accounts") }
  }

  /// Whether an owner may have one account more.
  public func hasRoom(for owner: uid_t) throws -> Bool { try records(of: owner).count < Self.limit }

  /// Stores a new account; `sameness` is what makes one of its kind that account and no other.
  public func insert(
    kind: Account.Kind,
    owner: uid_t,
    state: AccountRecord.State,
    issuer: String? = nil,
    label: String,
    sameness: [String]
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
      try table.insert(record, digest: try digest(kind, sameness))
    }
    return record
  }

  private func digest(_ kind: Account.Kind, _ sameness: [String]) throws -> [UInt8] {
    try core.vault.sealer.digest("account", [kind.rawValue] + sameness)
  }

  /// Whether an account that is the same is in force.
  public func isInForce(kind: Account.Kind, owner: uid_t, sameness: [String]) throws -> Bool {
    try inForce(kind: kind, owner: owner, sameness: sameness) != nil
  }

  /// The account that is the same, if it is in force.
  public func inForce(kind: Account.Kind, owner: uid_t, sameness: [String]) throws -> AccountRecord? {
    let id = try core.vault.database.row(
      "SELECT id FROM account WHERE owner = ? AND digest = ? AND state = 'active'",
      SQLValue(owner),
      .blob(try digest(kind, sameness))
    ) { $0.text(0) }
    return try id.flatMap { try record($0, of: owner) }
  }

  /// Puts an account into force in the place of the same one that there was before.
  public func activate(_ id: String, of owner: uid_t) throws {
    // It was erased while the other side was asked.
    guard try table.activate(id, of: owner) else { throw RPCError.notConfigured }
  }

  /// The key that seals what a kind adds to an account.
  public func dataKey(of account: AccountRecord) throws -> DataKey {
    try table.dataKey(of: account.id, owner: account.owner)
  }

  // MARK: Changing

  /// Gives an account a name, which the other side is told first: both know it by one name or neither does.
  public func rename(_ id: String, to nickname: String, owner: uid_t) async throws -> Account {
    let record = try usable(id, of: owner)
    let nickname = DisplayText.clean(nickname)
    guard !nickname.isEmpty else { throw RPCError.invalidParameter("nickname") }
    try await kind(of: record).rename(record, to: nickname)
    try setNickname(nickname, of: record)
    guard let shown = try publish(id, of: owner) else { throw RPCError.noSuch("account") }
    return shown
  }

  /// Stores what the other side calls an account.
  public func setNickname(_ nickname: String?, of account: AccountRecord) throws {
    try table.setNickname(nickname, of: account.id, owner: account.owner)
  }

  /// Ends an account on both sides, or on this one alone; returns whether the other side still has it.
  public func remove(_ id: String, localOnly: Bool, owner: uid_t) async throws -> Bool {
    guard let record = try record(id, of: owner), isShown(record) else { throw RPCError.noSuch("account") }
    let removed = try shown(record, state: .removed)
    // What is being made may be there already at the other side.
    let mayRemain = record.state != .revoked
    if mayRemain, !localOnly {
      let kind = try kind(of: record)
      try await removals.run(OwnedKey(record.id, of: owner), changing: core.vault) {
        try await kind.remove(record)
      }
    }
    try core.vault.write { _ in
      // Whoever removed it while the other side was asked has told of it.
      guard try table.delete(id, of: owner) else { return }
      for observer in observers { try observer(record) }
      Journal.info("unpaired", ["uid": owner])
      core.vault.whenCommitted { [core] in
        if let removed { core.events.publish(.account, of: owner, removed) }
      }
    }
    return mayRemain && localOnly
  }

  /// Removes an account that has not come into force.
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

  /// Marks an account that the other side does not know any more; what waits for an answer to it is over.
  ///
  /// One that has not come into force was nothing to its owner, and is discarded by whoever makes it.
  public func revoke(_ account: AccountRecord) throws {
    guard account.isActive else { return }
    try core.vault.write { _ in
      for observer in observers { try observer(account) }
      try table.revoke(account.id, of: account.owner)
      core.vault.whenCommitted { [weak self] in _ = try? self?.publish(account.id, of: account.owner) }
    }
  }

  // MARK: Telling

  /// Tells subscribers how an account is now.
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
