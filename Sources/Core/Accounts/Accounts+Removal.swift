internal import EventLoop
internal import SQLite
internal import Vault

// An account is removed first at the server and then here. A mark that is stored before the request survives
// an interruption. If a repeated removal does not find the account at the server, the mark shows that an
// earlier attempt may have removed it there.

extension Accounts {
  /// Stores the mark that the removal of an account at the server has begun.
  ///
  /// `asker` identifies the server and the signed-on user.
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
