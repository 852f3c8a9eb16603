internal import Configuration
internal import Glibc
internal import JOSE
internal import JSON
internal import OpenSSL
internal import SQLite
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
    at now: Int64
  )
    throws -> Identity
  {
    let (deviceKey, answerKey) = (try PrivateKey.generateP256(), try PrivateKey.generateP256())
    let (dataKey, wrapped) = try makeDataKey(at: Self.place(id, owner, "data_key"))
    try transaction { database in
      try insertOwner(owner, at: now)
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
        .blob(try Self.seal(deviceKey, with: dataKey, at: Self.place(id, owner, "device_key"))),
        .blob(try Self.seal(answerKey, with: dataKey, at: Self.place(id, owner, "answer_key"))),
        SQLValue(now)
      )
    }
    return Identity(
      id: id,
      owner: owner,
      geography: geography,
      platform: platform,
      deviceKey: deviceKey,
      answerKey: answerKey,
      deviceID: nil,
      issuers: [],
      isPushRegistered: false,
      cursor: nil
    )
  }

  /// Every identity; those whose keys do not open are left out.
  func identities(platform: (WebURL) throws -> PlatformRecord) throws -> [Identity] {
    let rows = try database.rows(
      """
      SELECT id, owner, geo, platform, device_id, data_key, device_key, answer_key, issuers, push_registered, cursor
      FROM identity
      """
    ) { $0 }
    return try rows.compactMap { row in
      let (id, owner) = (row.text(0), uid_t(truncatingIfNeeded: row.int(1)))
      guard let geography = Geography(rawValue: row.text(2)), let url = WebURL(row.text(3)) else {
        return nil
      }
      let keys = try unlessDamaged("identity", of: owner) {
        let dataKey = try dataKey(unwrapping: row.blob(5), at: Self.place(id, owner, "data_key"))
        return (
          device: try Self.open(row.blob(6), with: dataKey, at: Self.place(id, owner, "device_key")),
          answer: try Self.open(row.blob(7), with: dataKey, at: Self.place(id, owner, "answer_key"))
        )
      }
      guard let keys else { return nil }
      let issuers = (try? JSON(parsing: row.text(8)))?.array?.compactMap(\.string) ?? []
      return Identity(
        id: id,
        owner: owner,
        geography: geography,
        platform: try platform(url),
        deviceKey: keys.device,
        answerKey: keys.answer,
        deviceID: row.optionalText(4),
        issuers: issuers,
        isPushRegistered: row.flag(9),
        cursor: row.optionalText(10)
      )
    }
  }

  /// Stores that the platform trusts an identity, and with it the geography of its owner.
  func setTrusted(_ identity: Identity, deviceID: String, issuers: [String], keys: [JWK], version: Int) throws
  {
    try transaction { database in
      try database.run(
        "UPDATE identity SET device_id = ?, issuers = ? WHERE id = ?",
        .text(deviceID),
        .text(JSON.strings(issuers).text),
        .text(identity.id)
      )
      try database.run(
        "UPDATE owner SET geo = ? WHERE uid = ?",
        .text(identity.geography.rawValue),
        SQLValue(identity.owner)
      )
      try replaceKeys(of: identity.platform.url, with: keys, version: version)
    }
    (identity.deviceID, identity.issuers) = (deviceID, issuers)
    (identity.platform.keys, identity.platform.keysVersion) = (keys, version)
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

  private static func place(_ id: String, _ owner: uid_t, _ column: StaticString) -> Place {
    Place(table: "identity", row: id, owner: owner, column: column)
  }

  private static func seal(_ key: PrivateKey, with dataKey: DataKey, at place: Place) throws -> [UInt8] {
    var scalar = try key.scalar.withBytes { Array($0) }
    defer { wipe(&scalar) }
    return try dataKey.seal(scalar, at: place)
  }

  private static func open(_ sealed: [UInt8], with dataKey: DataKey, at place: Place) throws -> PrivateKey {
    try PrivateKey(p256Scalar: dataKey.openSecret(sealed, at: place))
  }
}
