package import ControlAPI
internal import EventLoop
package import Glibc
internal import JSONRPC
internal import Journal

extension Authenticator {
  /// The accounts that are in force, and those that their platform has revoked.
  package func accounts(of owner: uid_t) throws -> [Account] {
    try store.accounts(of: owner).filter { $0.state != .activating }.compactMap(shown)
  }

  /// Gives an account a name, which its platform is told first: both know it by one name or neither does.
  package func renameAccount(_ id: String, to nickname: String, owner: uid_t) async throws -> Account {
    let record = try account(id, of: owner)
    let nickname = SafeText.clean(nickname)
    guard !nickname.isEmpty else { throw RPCError.invalidParameter("nickname") }
    let identity = try identity(of: record)
    try await ask(identity) { try await $0.setNickname(identity, user: record.user.id, nickname) }
    try store.setNickname(nickname, of: id)
    guard let shown = try publish(id, of: owner) else { throw RPCError.notFound }
    return shown
  }

  /// Ends a pairing on both sides, or on this one alone; returns whether the platform still has it.
  package func removeAccount(_ id: String, localOnly: Bool, owner: uid_t) async throws -> Bool {
    let known = try store.accounts(of: owner).first { $0.id == id && $0.state != .activating }
    guard let record = known else { throw RPCError.notFound }
    if record.isActive, !localOnly { try await unpair(record) }
    let removed = shown(record, state: .removed)
    // Whoever removed it while the platform was asked has told of it.
    if try store.deleteAccount(id) {
      passcodes[id] = nil
      Journal.info("unpaired", ["uid": owner])
      if let removed { events.publish(.account, of: owner, removed) }
    }
    return record.isActive && localOnly
  }

  /// Ends a pairing on its platform; who asks meanwhile waits for the same.
  private func unpair(_ record: AccountRecord) async throws {
    if let running = removals[record.id] { return try await running.value }
    let identity = try identity(of: record)
    let task = EventLoop.task { [self] in
      defer { removals[record.id] = nil }
      // The platform ends what it has with the user by then, and that must not be what a pairing is making.
      try await guardingPairing(of: record.owner) {
        try await ask(identity) { try await $0.unpair(identity, user: record.user.id) }
      }
    }
    removals[record.id] = task
    try await task.value
  }

  /// Marks an account that its platform does not know any more; what waits for an answer to it is over.
  func revoke(_ account: AccountRecord) throws {
    guard account.state != .revoked else { return }
    try store.transaction { _ in
      for notification in try store.openNotifications(of: account.owner)
      where notification.account == account.id {
        for state in [NotificationObject.State.pending, .sending]
        where try store.moveNotification(notification.id, from: state, to: .cancelled) {
          announce(notification.id, of: account.owner)
        }
      }
      try store.revokeAccount(account.id)
      passcodes[account.id] = nil
      store.whenCommitted { [weak self] in _ = try? self?.publish(account.id, of: account.owner) }
    }
  }

  /// Tells subscribers how an account is now.
  @discardableResult
  func publish(_ account: String, of owner: uid_t) throws -> Account? {
    let record = try store.accounts(of: owner).first { $0.id == account && $0.state != .activating }
    let shown = record.flatMap(shown)
    if let shown { events.publish(.account, of: owner, shown) }
    return shown
  }

  private func identity(of record: AccountRecord) throws -> Identity {
    guard let identity = try identity(record.identity) else { throw RPCError.notFound }
    return identity
  }

  private func shown(_ record: AccountRecord) -> Account? {
    shown(record, state: record.state == .revoked ? .revoked : .active)
  }

  private func shown(_ record: AccountRecord, state: Account.State) -> Account? {
    guard let identity = try? identity(of: record) else { return nil }
    return Account(
      id: record.id,
      geography: identity.geography,
      environment: record.environment,
      user: record.user,
      label: record.user.username ?? record.user.email ?? record.user.id,
      nickname: record.nickname,
      authenticators: record.authenticators,
      lock: lockInForce(record),
      createdAt: record.createdAt,
      state: state
    )
  }
}
