internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import OpenSSL
internal import SQLite
internal import Time
internal import Vault
internal import WebAddress

/// Rows of `identity` and `pingone_owner`; reading an `Identity` needs no key.
@EventLoop
struct IdentityTable {
  let vault: Vault
  private let records: OwnerCache<[Identity]>

  init(_ vault: Vault) { (self.vault, records) = (vault, vault.cache()) }

  func forget(_ owner: uid_t) { records.forget(owner) }

  private static var select: StaticString {
    """
    SELECT identity.*, identity.geo = pingone_owner.geo AS is_primary
    FROM identity LEFT JOIN pingone_owner USING (owner) WHERE owner = ?
    """
  }

  /// Returns the identities of an owner; the identity of the configured geography is first.
  func all(of owner: uid_t) throws -> [Identity] {
    try records.value(of: owner) {
      let all = try vault.database.rows(Self.select, SQLValue(owner)) { Self.identity($0) }.compactMap(\.self)
      return all.filter(\.isPrimary) + all.filter { !$0.isPrimary }
    }
  }

  /// Returns up to `limit` owners with a trusted identity, sorted by UID and starting after `owner`.
  func owners(after owner: uid_t?, limit: Int) throws -> [uid_t] {
    try vault.database.rows(
      "SELECT DISTINCT owner FROM identity WHERE device_id IS NOT NULL AND owner > ? ORDER BY owner LIMIT ?",
      SQLValue(owner.map { Int($0) } ?? -1),
      SQLValue(limit)
    ) {
      uid_t(truncatingIfNeeded: $0.int(0))
    }
  }

  /// Returns the owner of an identity.
  func owner(of id: String) throws -> uid_t? {
    try vault.database.row("SELECT owner FROM identity WHERE id = ?", .text(id)) {
      uid_t(truncatingIfNeeded: $0.int(0))
    }
  }

  private nonisolated static func identity(_ row: Row) -> Identity? {
    guard let geography = Geography(rawValue: row.text("geo")), let url = WebURL(row.text("platform")) else {
      return nil
    }
    return Identity(
      id: row.text("id"),
      owner: uid_t(truncatingIfNeeded: row.int("owner")),
      geography: geography,
      url: url,
      isPrimary: row.flag("is_primary"),
      keyID: row.text("key_id"),
      nextKeyID: row.optionalText("next_key_id"),
      keysMadeAt: Timestamp(milliseconds: Int64(row.int("keys_made_at"))),
      deviceID: row.optionalText("device_id"),
      issuers: (try? JSON(parsing: row.text("issuers")))?.array?.compactMap(\.string) ?? [],
      isPushRegistered: row.flag("push_registered"),
      cursor: row.optionalText("cursor")
    )
  }

  /// Returns the geography that an owner configured, if any.
  func geography(of owner: uid_t) throws -> Geography? {
    try vault.database.row("SELECT geo FROM pingone_owner WHERE owner = ?", SQLValue(owner)) {
      $0.optionalText(0)
    }.flatMap { $0 }.flatMap(Geography.init(rawValue:))
  }

  // MARK: Changes

  /// Stores a new identity with keys that were generated before the first request to the platform.
  func insert(
    _ id: String,
    owner: uid_t,
    geography: Geography,
    url: WebURL,
    _ keys: IdentityKeys,
    at now: Timestamp
  ) throws {
    let (_, wrapped) = try vault.sealer.makeDataKey(Self.dataKeyLabel(id, owner))
    try change(owner) { database in
      try enter(owner)
      // Replace an untrusted identity of the same geography; it was made for another platform URL.
      try database.run(
        "DELETE FROM identity WHERE owner = ? AND geo = ? AND device_id IS NULL",
        SQLValue(owner),
        .text(geography.rawValue)
      )
      try database.run(
        """
        INSERT INTO identity (id, owner, geo, platform, data_key, key_id, keys_made_at, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)
        """,
        .text(id),
        SQLValue(owner),
        .text(geography.rawValue),
        .text(url.text),
        .blob(wrapped),
        .text(keys.deviceThumbprint),
        SQLValue(now.milliseconds)
      )
      try insertKeys(keys, of: id, owner: owner)
    }
  }

  /// Stores that the platform trusts an identity; the first trusted identity sets its owner's geography.
  func setTrusted(_ identity: Identity, deviceID: String, issuers: [String]) throws {
    try change(identity.owner) { database in
      let count = try database.run(
        "UPDATE identity SET device_id = ?, issuers = ? WHERE id = ?",
        .text(deviceID),
        .text(JSON.strings(issuers).text),
        .text(identity.id)
      )
      // The identity was erased during the request to the platform.
      guard count == 1 else { throw RPCError.notConfigured }
      try database.run(
        "UPDATE pingone_owner SET geo = ? WHERE owner = ? AND geo IS NULL",
        .text(identity.geography.rawValue),
        SQLValue(identity.owner)
      )
    }
  }

  /// Stores whether the platform knows the push channel of an identity.
  func setPushRegistered(_ isRegistered: Bool, _ identity: Identity) throws {
    try change(identity.owner) {
      try $0.run(
        "UPDATE identity SET push_registered = ? WHERE id = ?",
        SQLValue(isRegistered),
        .text(identity.id)
      )
    }
  }

  /// Stores the position of the next poll, in the transaction that stores the fetched pushes.
  func setCursor(_ cursor: String?, of identity: Identity) throws {
    try change(identity.owner) {
      try $0.run("UPDATE identity SET cursor = ? WHERE id = ?", SQLValue(cursor), .text(identity.id))
    }
  }

  /// Creates the row of an owner if it does not exist.
  func enter(_ owner: uid_t) throws {
    try vault.write { try $0.run("INSERT OR IGNORE INTO pingone_owner (owner) VALUES (?)", SQLValue(owner)) }
  }

  @discardableResult
  func change<R>(_ owner: uid_t, _ body: (Database) throws -> R) throws -> R {
    defer { forget(owner) }
    return try vault.write(body)
  }

  static nonisolated func dataKeyLabel(_ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel("identity.data_key", row: id, owner: owner)
  }
}
