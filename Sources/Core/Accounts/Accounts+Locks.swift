public import ControlAPI
public import Glibc
internal import Journal
internal import Time
internal import Vault

extension Accounts {
  private static let longestWait = Duration.seconds(86_400)

  /// Stores that a policy closed an account, or that it is open, and tells subscribers of it.
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

  /// What closes an account now.
  public func lockInForce(_ record: AccountRecord) -> AccountLock? {
    record.lock.flatMap { lock in lock.expiresAt.map { core.time.now() < $0 } ?? true ? lock : nil }
  }

  /// Resumes after a start: locks end at their time.
  public func resumeLocks() throws {
    for (account, owner) in try table.lockedAccounts() {
      let known = try core.vault.sealer.unlessDamaged("account", of: owner) {
        try self.record(account, of: owner)
      }
      if let lock = known??.lock { awaitEnd(of: lock, on: account, of: owner) }
    }
  }

  /// Opens an account when its lock is over; one that was set again meanwhile has an end of its own.
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
