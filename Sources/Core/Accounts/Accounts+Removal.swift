internal import EventLoop
internal import SQLite
internal import Vault

// An account is removed at the server first and here afterwards. The stored mark survives an interruption. A
// repeated removal that does not find the account at the server thus knows that its first attempt removed it
// there.

extension Accounts {
  /// Stores that the server is about to be asked to remove an account.
  ///
  /// `asker` identifies the identity that asks.
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
