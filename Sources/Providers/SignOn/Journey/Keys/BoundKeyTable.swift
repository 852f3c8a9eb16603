internal import EventLoop
internal import Glibc
internal import OpenSSL
internal import SQLite
internal import Time
internal import Vault

/// Reads and writes the rows of table `bound_key`.
@EventLoop
struct BoundKeyTable {
  let vault: Vault

  /// Returns the keys of an owner, newest first.
  func all(of owner: uid_t) throws -> [BoundKey] {
    try vault.database.rows(
      "SELECT * FROM bound_key WHERE owner = ? ORDER BY created_at DESC, rowid DESC",
      SQLValue(owner)
    ) { $0 }.compactMap { row in
      try vault.sealer.unlessDamaged("bound key", of: owner) { try key(row, owner) }
    }
  }

  private func key(_ row: Row, _ owner: uid_t) throws -> BoundKey {
    let id = row.text("id")
    let key = try dataKey(row, id, owner)
    return BoundKey(
      id: id,
      owner: owner,
      server: row.text("server"),
      user: try key.openText(row.blob("user"), as: Self.label("bound_key.user", id, owner)),
      userName: try key.openText(row.blob("user_name"), as: Self.label("bound_key.user_name", id, owner)),
      createdAt: Timestamp(milliseconds: Int64(row.int("created_at"))),
      isAccepted: row.flag("is_accepted"),
      wantsPresence: row.flag("wants_presence")
    )
  }

  /// Returns a private key; `nil` if it is missing or damaged.
  ///
  /// Throws `locked` if the owner is locked.
  func privateKey(of key: BoundKey) throws -> PrivateKey? {
    let row = try vault.database.row(
      "SELECT data_key, private_key, is_guarded FROM bound_key WHERE id = ? AND owner = ?",
      .text(key.id),
      SQLValue(key.owner)
    ) { $0 }
    guard let row else { return nil }
    return try vault.sealer.unlessDamaged("bound key", of: key.owner) {
      let scalar = try vault.sealer.open(
        GuardedSecret(row.blob("private_key"), isGuarded: row.flag("is_guarded")),
        beside: dataKey(row, key.id, key.owner),
        as: Self.label("bound_key.private_key", key.id, key.owner)
      )
      return try PrivateKey(p256Scalar: scalar)
    }
  }

  func insert(_ key: BoundKey, _ privateKey: PrivateKey) throws {
    func label(_ name: StaticString) -> SealLabel { Self.label(name, key.id, key.owner) }
    let (dataKey, wrapped) = try vault.sealer.makeDataKey(label("bound_key.data_key"))
    try vault.write {
      let scalar = try vault.sealer.seal(
        privateKey.scalar,
        guardedBeside: dataKey,
        as: label("bound_key.private_key")
      )
      try $0.run(
        """
        INSERT INTO bound_key (
          id, owner, server, data_key, user, user_name, private_key, is_guarded, wants_presence, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(key.id),
        SQLValue(key.owner),
        .text(key.server),
        .blob(wrapped),
        .blob(try dataKey.seal(key.user, as: label("bound_key.user"))),
        .blob(try dataKey.seal(key.userName, as: label("bound_key.user_name"))),
        .blob(scalar.sealed),
        SQLValue(scalar.isGuarded),
        SQLValue(key.wantsPresence),
        SQLValue(key.createdAt.milliseconds)
      )
    }
  }

  /// Adds the seal of the owner's guard key to private keys that do not have this seal yet.
  func guardKeys(of owner: uid_t) throws {
    let rows = try vault.database.rows(
      "SELECT id, data_key, private_key FROM bound_key WHERE owner = ? AND is_guarded = 0",
      SQLValue(owner)
    ) { $0 }
    for row in rows {
      let id = row.text("id")
      let label = Self.label("bound_key.private_key", id, owner)
      try vault.sealer.unlessDamaged("bound key", of: owner) {
        let key = try dataKey(row, id, owner)
        let scalar = try key.openSecret(row.blob("private_key"), as: label)
        let guarded = try vault.sealer.seal(scalar, guardedBeside: key, as: label)
        try vault.write {
          try $0.run(
            "UPDATE bound_key SET private_key = ?, is_guarded = ? WHERE id = ?",
            .blob(guarded.sealed),
            SQLValue(guarded.isGuarded),
            .text(id)
          )
        }
      }
    }
  }

  func accept(_ key: BoundKey) throws {
    try vault.write {
      try $0.run(
        "UPDATE bound_key SET is_accepted = 1 WHERE id = ? AND owner = ?",
        .text(key.id),
        SQLValue(key.owner)
      )
    }
  }

  func delete(_ key: BoundKey) throws {
    try vault.write {
      try $0.run(
        "DELETE FROM bound_key WHERE id = ? AND owner = ?",
        .text(key.id),
        SQLValue(key.owner)
      )
    }
  }

  /// Returns the number of an owner's rows, including damaged ones, and the bytes of their long values.
  ///
  /// It decrypts nothing, so it also works while the owner is locked.
  func usage(of owner: uid_t) throws -> Quota.Usage {
    try vault.usage(
      of: owner,
      by: """
        SELECT count(*) AS rows, coalesce(sum(length(user) + length(user_name) + length(private_key)), 0) AS bytes
        FROM bound_key WHERE owner = ?
        """
    )
  }

  private func dataKey(_ row: Row, _ id: String, _ owner: uid_t) throws -> DataKey {
    try vault.sealer.dataKey(
      unwrapping: row.blob("data_key"),
      Self.label("bound_key.data_key", id, owner)
    )
  }

  private static func label(_ name: StaticString, _ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel(name, row: id, owner: owner)
  }
}

/// A key of this machine that authenticates a user at one server, without its private part.
public struct BoundKey: Sendable, Equatable {
  /// The key identifier (`kid`) at the server.
  let id: String
  let owner: uid_t
  /// The realm of the server, as the URL of its authentication endpoint.
  let server: String
  /// The server's identifier of the user.
  let user: String
  /// The server's display name of the user.
  let userName: String
  let createdAt: Timestamp
  /// True if a server has accepted the key: a journey continued after the key was used.
  var isAccepted = false
  /// True if the key requires user presence to sign.
  var wantsPresence = false
}
