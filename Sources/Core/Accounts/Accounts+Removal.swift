internal import EventLoop
internal import SQLite
internal import Vault

// What is removed at another side first and here then: whoever begins so again after it was broken off finds it begun,
// and knows that what is gone there is gone by this.

extension Accounts {
  /// Notes that the other side is going to be asked to remove an account, with what tells whom it is asked as.
  public func beginRemoval(of account: AccountRecord, as asker: [String]) async throws {
    let digest = try core.vault.sealer.digest("account.removal", asker)
    try core.vault.write {
      try $0.run("UPDATE account SET removal = ? WHERE id = ?", .blob(digest), .text(account.id))
    }
    try await core.vault.committed()
  }

  public func isRemovalBegun(of account: AccountRecord, as asker: [String]) throws -> Bool {
    let digest = try core.vault.sealer.digest("account.removal", asker)
    let begun = try core.vault.database.row("SELECT removal FROM account WHERE id = ?", .text(account.id)) {
      $0.optionalBlob(0)
    }
    return begun == digest
  }
}
