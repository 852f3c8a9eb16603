internal import AMEnrolments
package import Accounts
package import ControlAPI
internal import EventLoop
internal import Glibc
internal import Vault

// A policy of the server closes an account for as long as this machine does not meet it: no passcodes, no decisions,
// not even a denial, and no other name.

extension AMAccounts {
  package func closure(of account: AccountRecord) throws -> AccountLock? {
    try table.account(account).flatMap { lock(of: $0) }
  }

  /// What closes an account on this machine as it is now.
  func lock(of account: AMAccount) -> AccountLock? {
    account.policies.firstUnmet(by: facts()).map { AccountLock(policy: $0.rawValue, expiresAt: nil) }
  }

  /// Closes and opens the accounts of an owner, as the machine is now.
  func applyPolicies(of owner: uid_t) throws {
    for account in try active(of: owner) {
      let lock = lock(of: account)
      let isOpened = lock == nil && account.account.lock != nil
      try accounts.setLock(lock, on: account.account.id, of: owner)
      if isOpened { announceReady(account) }
    }
  }
}
