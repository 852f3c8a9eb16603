internal import Configuration
internal import ControlAPI
internal import Glibc
internal import JOSE
internal import JSON
internal import JSONRPC
internal import OpenSSL
internal import SQLite
internal import Time
internal import WebAddress

// Rows of `owner`, `identity` and `platform_key`.

extension Store {
  /// The geography that an owner configured, if they did.
  func geography(of owner: uid_t) throws -> Geography? {
    try database.row("SELECT geo FROM owner WHERE uid = ?", SQLValue(owner)) { $0.optionalText(0) }
      .flatMap { $0 }.flatMap(Geography.init(rawValue:))
  }

  /// Makes an owner if they are new.
  func insertOwner(_ owner: uid_t, at now: Int64) throws {
    try database.run(
      "INSERT OR IGNORE INTO owner (uid, created_at) VALUES (?, ?)",
      SQLValue(owner),
      SQLValue(now)
    )
  }

  /// Stores a new identity, whose keys are made before the platform hears of them.
  func insertIdentity(
    _ id: String,
    owner: uid_t,
    geography: Geography,
    platform: PlatformRecord,
    at now: Timestamp
  ) throws -> Identity {
    let keys = try IdentityKeys.generate()
    let (dataKey, wrapped) = try makeDataKey(at: Self.identityPlace(id, owner, "data_key"))
    try transaction { database in
      try insertOwner(owner, at: now.milliseconds)
      // One that another platform never trusted is in the way and of no use.
      try database.run(
        "DELETE FROM identity WHERE owner = ? AND geo = ? AND device_id IS NULL",
        SQLValue(owner),
        .text(geography.rawValue)
      )
      try database.run(
        """
        INSERT INTO identity (id, owner, geo, platform, data_key, device_key, answer_key, keys_made_at,
          created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
        """,
        .text(id),
        SQLValue(owner),
        .text(geography.rawValue),
        .text(platform.url.text),
        .blob(wrapped),
        .blob(try Self.seal(keys.device, with: dataKey, at: Self.identityPlace(id, owner, "device_key"))),
        .blob(try Self.seal(keys.answer, with: dataKey, at: Self.identityPlace(id, owner, "answer_key"))),
        SQLValue(now.milliseconds)
      )
    }
    return Identity(
      id: id,
      owner: owner,
      geography: geography,
      platform: platform,
      keys: keys,
      keysMadeAt: now
    )
  }

  /// Every identity; those whose keys do not open are left out.
  func identities(platform: (WebURL) throws -> PlatformRecord) throws -> [Identity] {
    let rows = try database.rows(
      """
      SELECT id, owner, identity.geo, platform, device_id, identity.data_key, device_key, answer_key, next_device_key,
        next_answer_key, keys_made_at, issuers, push_registered, cursor, identity.geo = owner.geo
      FROM identity JOIN owner ON uid = owner
      """
    ) { $0 }
    return try rows.compactMap { row in
      guard let geography = Geography(rawValue: row.text(2)), let url = WebURL(row.text(3)) else {
        return nil
      }
      let owner = uid_t(truncatingIfNeeded: row.int(1))
      guard let (keys, nextKeys) = try unlessDamaged("identity", of: owner, { try openedKeys(row, owner) })
      else { return nil }
      let identity = Identity(
        id: row.text(0),
        owner: owner,
        geography: geography,
        platform: try platform(url),
        keys: keys,
        keysMadeAt: Timestamp(milliseconds: Int64(row.int(10)))
      )
      (identity.nextKeys, identity.deviceID) = (nextKeys, row.optionalText(4))
      identity.issuers = (try? JSON(parsing: row.text(11)))?.array?.compactMap(\.string) ?? []
      (identity.isPushRegistered, identity.cursor) = (row.flag(12), row.optionalText(13))
      identity.isPrimary = row.flag(14)
      return identity
    }
  }

  private func openedKeys(_ row: Row, _ owner: uid_t) throws -> (IdentityKeys, next: IdentityKeys?) {
    let id = row.text(0)
    let dataKey = try dataKey(unwrapping: row.blob(5), at: Self.identityPlace(id, owner, "data_key"))
    func open(_ sealed: [UInt8], _ column: StaticString) throws -> PrivateKey {
      try PrivateKey(p256Scalar: dataKey.openSecret(sealed, at: Self.identityPlace(id, owner, column)))
    }
    let keys = IdentityKeys(
      device: try open(row.blob(6), "device_key"),
      answer: try open(row.blob(7), "answer_key")
    )
    guard let device = row.optionalBlob(8), let answer = row.optionalBlob(9) else { return (keys, nil) }
    return (
      keys,
      IdentityKeys(
        device: try open(device, "next_device_key"),
        answer: try open(answer, "next_answer_key")
      )
    )
  }

  /// Stores that the platform trusts an identity; the first one decides the geography of its owner.
  func setTrusted(_ identity: Identity, deviceID: String, issuers: [String], keys: [JWK], version: Int) throws
  {
    try transaction { database in
      let count = try database.run(
        "UPDATE identity SET device_id = ?, issuers = ? WHERE id = ?",
        .text(deviceID),
        .text(JSON.strings(issuers).text),
        .text(identity.id)
      )
      // It was erased while the platform was asked.
      guard count == 1 else { throw RPCError.notConfigured }
      try database.run(
        "UPDATE owner SET geo = ? WHERE uid = ? AND geo IS NULL",
        .text(identity.geography.rawValue),
        SQLValue(identity.owner)
      )
      try replaceKeys(of: identity.platform.url, with: keys, version: version)
    }
    (identity.deviceID, identity.issuers) = (deviceID, issuers)
    identity.isPrimary = try geography(of: identity.owner) == identity.geography
    (identity.platform.keys, identity.platform.keysVersion) = (keys, version)
  }

  /// Stores the keys that a platform has now, with whose help they were verified.
  func setKeys(_ found: PlatformKeys, of record: PlatformRecord) throws {
    try transaction { _ in try replaceKeys(of: record.url, with: found.keys, version: found.version) }
    (record.keys, record.keysVersion) = (found.keys, found.version)
  }

  /// Stores that the platform knows how pushes reach an identity.
  func setPushRegistered(_ identity: Identity) throws {
    try database.run("UPDATE identity SET push_registered = 1 WHERE id = ?", .text(identity.id))
    identity.isPushRegistered = true
  }

  /// Stores where the fetching of pushes goes on; part of the transaction that stores what was fetched.
  func setCursor(_ cursor: String?, of identity: Identity) throws {
    try database.run("UPDATE identity SET cursor = ? WHERE id = ?", SQLValue(cursor), .text(identity.id))
  }

  /// What is known of a platform from before.
  func platformRecord(_ url: WebURL) throws -> PlatformRecord {
    let rows = try database.rows("SELECT jwk, version FROM platform_key WHERE platform = ?", .text(url.text))
    {
      (jwk: $0.text(0), version: $0.int(1))
    }
    let keys = rows.compactMap { row in (try? JSON(parsing: row.jwk)).flatMap { try? JWK($0) } }
    return PlatformRecord(url: url, keys: keys, keysVersion: rows.map(\.version).max() ?? 0)
  }

  private func replaceKeys(of url: WebURL, with keys: [JWK], version: Int) throws {
    try database.run("DELETE FROM platform_key WHERE platform = ?", .text(url.text))
    for key in keys {
      try database.run(
        "INSERT INTO platform_key VALUES (?, ?, ?, ?)",
        .text(url.text),
        .text(key.thumbprint),
        .text(key.json.text),
        SQLValue(version)
      )
    }
  }

  static func identityPlace(_ id: String, _ owner: uid_t, _ column: StaticString) -> Place {
    Place(table: "identity", row: id, owner: owner, column: column)
  }

  static func seal(_ key: PrivateKey, with dataKey: DataKey, at place: Place) throws -> [UInt8] {
    var scalar = try key.scalar.withBytes { Array($0) }
    defer { wipe(&scalar) }
    return try dataKey.seal(scalar, at: place)
  }
}
