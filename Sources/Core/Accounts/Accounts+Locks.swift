public import ControlAPI
public import Glibc
internal import Journal
internal import Time
internal import Vault

extension Accounts {
  private static let longestWait = Duration.seconds(86_400)

  /// Stores the lock that a policy put on an account, and notifies subscribers; nil removes a stored lock.
  public func setLock(_ lock: AccountLock?, on account: String, of owner: uid_t) throws {
    guard let record = try record(account, of: owner), record.lock != lock else { return }
    try core.vault.write { _ in
      try table.setLock(lock, on: account, of: owner)
      core.vault.whenCommitted { [weak self] in
        _ = try? self?.publish(account, of: owner)
        guard let lock else { return }
        Journal.info("a policy has locked an account", ["uid": owner])
        self?.awaitEnd(of: lock, on: account, of: owner)
      }
    }
  }

  /// Returns the lock of an account, or nil if there is none or it has expired.
  public func lockInForce(_ record: AccountRecord) -> AccountLock? {
    record.lock.flatMap { lock in lock.expiresAt.map { core.time.now() < $0 } ?? true ? lock : nil }
  }

  /// Starts the timers of all stored locks after a start of the daemon.
  public func resumeLocks() throws {
    for (account, owner) in try table.lockedAccounts() {
      let known = try core.vault.sealer.unlessDamaged("account", of: owner) {
        try self.record(account, of: owner)
      }
      if let lock = known??.lock { awaitEnd(of: lock, on: account, of: owner) }
    }
  }

  /// Removes the lock when it expires, unless another lock has replaced it, which has its own timer.
  private func awaitEnd(of lock: AccountLock, on account: String, of owner: uid_t) {
    guard let end = lock.expiresAt else { return }
    let left = Duration.milliseconds(max(0, end.milliseconds - core.time.now().milliseconds))
    core.after(min(left, Self.longestWait)) { [weak self] in
      guard let self else { return }
      guard self.core.time.now() >= end else { return self.awaitEnd(of: lock, on: account, of: owner) }
      let record = try? self.record(account, of: owner)
      if record?.lock == lock { try? self.setLock(nil, on: account, of: owner) }
    }
  }
}
