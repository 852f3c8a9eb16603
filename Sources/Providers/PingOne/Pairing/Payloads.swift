internal import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JOSE
public import JSON
internal import OpenSSL
internal import SQLite
internal import Settings
internal import Time
public import Vault
internal import WebAddress

/// Mobile payloads, which bind an authorization request to this device.
@EventLoop
public final class Payloads {
  private let core: Core
  private let devices: Devices
  private let channels: PushChannels
  /// The machine's report about itself for the platform.
  private let posture: @EventLoop () -> JSON

  /// The lifetime of a payload in seconds.
  private static let lifetime = 120
  /// Number of seconds after the creation of a payload until ID tokens for it are no longer accepted.
  ///
  /// It includes ten minutes for the sign-on and five minutes for the browser.
  private static let memory = 15 * 60

  public init(
    _ core: Core,
    devices: Devices,
    channels: PushChannels,
    posture: @escaping @EventLoop () -> JSON
  ) {
    (self.core, self.devices, self.channels, self.posture) = (core, devices, channels, posture)
  }

  /// Creates a JWS, signed with the answer key, that binds an authorization request to this device.
  ///
  /// The audience is the issuer, or the platform if no issuer is known. `challenge` binds the payload to a
  /// sign-on that the daemon runs itself.
  public func make(
    for owner: uid_t,
    audience: String? = nil,
    challenge: String? = nil
  ) async throws -> PayloadGenerate.Result {
    let primary = try await devices.requireIdentity(of: owner)
    // The platform of an issuer knows only the device that has established trust with it.
    let identity =
      try devices.trusted(of: owner).first { audience.map($0.issuers.contains) ?? false } ?? primary
    try core.quota.reserve(of: owner)
    let now = core.time.now()
    let id = try OpaqueID.make()
    let expiry = now.adding(seconds: Self.lifetime)
    let settings = core.settings.current
    var claims: JSONObject = [
      "iss": .string(settings.applicationID),
      "aud": .string(audience ?? devices.acceptedIssuers(of: identity).first ?? identity.url.text),
      "sub": .string(identity.deviceID ?? ""), "iat": .int(now.seconds), "exp": .int(expiry.seconds),
      "jti": .string(id), "os": "Linux", "pushEnabled": .bool(try channels.channel(of: owner).isEnabled),
      "posture": posture(),
    ]
    claims["client_id"] = settings.clientID.map { .string($0) }
    claims["cnf"] = challenge.map { .string($0) }
    let payload = try devices.keys(of: identity).sign(claims, type: "mobile-payload+jwt")
    try core.vault.insertPayload(id, owner: owner, until: now.adding(seconds: Self.memory), now: now)
    return PayloadGenerate.Result(mobilePayload: payload, expiresAt: expiry)
  }
}

// Rows of `payload` and `used_token`.

extension Vault {
  fileprivate func insertPayload(_ id: String, owner: uid_t, until expiry: Timestamp, now: Timestamp) throws {
    try write { database in
      try database.run("DELETE FROM payload WHERE expires_at < ?", SQLValue(now.milliseconds))
      try database.run(
        "INSERT INTO payload (jti, owner, expires_at) VALUES (?, ?, ?)",
        .text(id),
        SQLValue(owner),
        SQLValue(expiry.milliseconds)
      )
    }
  }

  /// Deletes a payload; returns false if the owner has no unexpired payload with this ID.
  func takePayload(_ id: String, owner: uid_t, now: Timestamp) throws -> Bool {
    try write {
      try $0.run(
        "DELETE FROM payload WHERE jti = ? AND owner = ? AND expires_at >= ?",
        .text(id),
        SQLValue(owner),
        SQLValue(now.milliseconds)
      ) == 1
    }
  }

  /// Stores a used token; returns false if it was already stored.
  func insertUsedToken(
    _ digest: [UInt8],
    owner: uid_t,
    until expiry: Timestamp,
    now: Timestamp
  ) throws -> Bool {
    try write { database in
      try database.run("DELETE FROM used_token WHERE expires_at < ?", SQLValue(now.milliseconds))
      return try database.run(
        "INSERT OR IGNORE INTO used_token (digest, owner, expires_at) VALUES (?, ?, ?)",
        .blob(digest),
        SQLValue(owner),
        SQLValue(expiry.milliseconds)
      ) == 1
    }
  }

  /// Deletes expired tokens, and expired pairings without a decision.
  func purgePairings(before limit: Timestamp, now: Timestamp) throws {
    try write { database in
      try database.run("DELETE FROM used_token WHERE expires_at < ?", SQLValue(now.milliseconds))
      try database.run(
        """
        DELETE FROM account WHERE state = 'activating'
          AND id IN (SELECT account FROM pairing WHERE state = 'received' AND expires_at < ?)
        """,
        SQLValue(limit.milliseconds)
      )
      try database.run(
        "DELETE FROM pairing WHERE state = 'received' AND expires_at < ?",
        SQLValue(limit.milliseconds)
      )
    }
  }
}
