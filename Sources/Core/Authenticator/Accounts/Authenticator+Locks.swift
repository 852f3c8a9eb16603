package import ControlAPI
package import Glibc
internal import Journal
internal import Time

extension Authenticator {
  private static let longestWait = Duration.seconds(86_400)

  /// Stores that a policy closed an account, or that it is open, and tells subscribers of it.
  package func setLock(_ lock: AccountLock?, on account: String, of owner: uid_t) throws {
    guard let record = try store.accounts(of: owner).first(where: { $0.id == account }), record.lock != lock
    else { return }
    try store.setLock(lock, on: account, of: owner)
    store.whenCommitted { [self] in _ = try? publish(account, of: owner) }
    guard let lock else { return }
    Journal.info("a policy has locked an account", ["uid": owner])
    awaitEnd(of: lock, on: account, of: owner)
  }

  /// What closes an account now.
  func lockInForce(_ record: AccountRecord) -> AccountLock? {
    record.lock.flatMap { lock in lock.expiresAt.map { time.now() < $0 } ?? true ? lock : nil }
  }

  /// Goes on after a start: locks end at their time.
  package func resumeLocks() throws {
    for (account, owner) in try store.lockedAccounts() {
      let record = try store.unlessDamaged("account", of: owner) {
        try store.accounts(of: owner).first { $0.id == account }
      }
      if let lock = record??.lock { awaitEnd(of: lock, on: account, of: owner) }
    }
  }

  /// Opens an account when its lock is over; one that was set again meanwhile has an end of its own.
  private func awaitEnd(of lock: AccountLock, on account: String, of owner: uid_t) {
    guard let end = lock.expiresAt else { return }
    let left = Duration.milliseconds(max(0, end.milliseconds - time.now().milliseconds))
    after(min(left, Self.longestWait)) { [weak self] in
      guard let self else { return }
      guard self.time.now() >= end else { return self.awaitEnd(of: lock, on: account, of: owner) }
      let record = try? self.store.accounts(of: owner).first { $0.id == account }
      if record?.lock == lock { try? self.setLock(nil, on: account, of: owner) }
    }
  }
}
