import EventLoop
import Glibc
import SQLite
import TestPlatform

@testable import Vault

extension Bench {
  /// Seals the owner's secrets like the first release, with the data keys only.
  func makeUnguarded() throws {
    let key = try life.vault.sealer.guardKey(of: Bench.owner)
    let database = try life.vault.database
    let oath = try database.rows("SELECT account, secret FROM oath WHERE is_guarded = 1") {
      ($0.text(0), $0.blob(1))
    }
    let answers = try database.rows("SELECT key_id, answer_key FROM identity_key WHERE is_guarded = 1") {
      ($0.text(0), $0.blob(1))
    }
    try life.vault.write { database in
      for (id, sealed) in oath {
        let inner = try key?.open(sealed, as: SealLabel("account.oath", row: id, owner: Bench.owner))
        try database.run(
          "UPDATE oath SET secret = ?, is_guarded = 0 WHERE account = ?",
          .blob(inner ?? []),
          .text(id)
        )
      }
      for (id, sealed) in answers {
        let inner = try key?.open(sealed, as: SealLabel("identity.answer_key", row: id, owner: Bench.owner))
        try database.run(
          "UPDATE identity_key SET answer_key = ?, is_guarded = 0 WHERE key_id = ?",
          .blob(inner ?? []),
          .text(id)
        )
      }
    }
    life.vault.invalidateCaches()
  }
}
