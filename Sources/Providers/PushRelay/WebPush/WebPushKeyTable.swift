internal import EventLoop
internal import Glibc
internal import OpenSSL
internal import SQLite
internal import Vault

/// Rows of `web_push`: the keys of an owner, sealed.
@EventLoop
struct WebPushKeyTable {
  let vault: Vault

  /// Returns the keys of an owner, or `nil` if there are none or they cannot be unsealed.
  func keys(of owner: uid_t) throws -> WebPushKeys? {
    let row = try vault.database.row("SELECT * FROM web_push WHERE owner = ?", SQLValue(owner)) {
      (key: $0.blob("data_key"), privateKey: $0.blob("private_key"), authSecret: $0.blob("auth_secret"))
    }
    guard let row else { return nil }
    return try vault.sealer.unlessDamaged("push key", of: owner) {
      let key = try vault.sealer.dataKey(unwrapping: row.key, Self.label("web_push.data_key", owner))
      let scalar = try key.openSecret(row.privateKey, as: Self.label("web_push.private_key", owner))
      return try WebPushKeys(
        privateKey: PrivateKey(p256Scalar: scalar),
        authSecret: key.openSecret(row.authSecret, as: Self.label("web_push.auth_secret", owner))
      )
    }
  }

  /// Stores the keys of an owner, replacing previous ones.
  func insert(_ keys: WebPushKeys, of owner: uid_t) throws {
    let (key, wrapped) = try vault.sealer.makeDataKey(Self.label("web_push.data_key", owner))
    let scalar = try key.seal(keys.privateKey.scalar, as: Self.label("web_push.private_key", owner))
    let authSecret = try key.seal(keys.authSecret, as: Self.label("web_push.auth_secret", owner))
    try vault.write {
      try $0.run(
        "INSERT OR REPLACE INTO web_push (owner, data_key, private_key, auth_secret) VALUES (?, ?, ?, ?)",
        SQLValue(owner),
        .blob(wrapped),
        .blob(scalar),
        .blob(authSecret)
      )
    }
  }

  func remove(of owner: uid_t) throws {
    try vault.write { try $0.run("DELETE FROM web_push WHERE owner = ?", SQLValue(owner)) }
  }

  private static func label(_ name: StaticString, _ owner: uid_t) -> SealLabel {
    SealLabel(name, row: "", owner: owner)
  }
}
