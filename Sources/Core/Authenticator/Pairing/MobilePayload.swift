internal import Configuration
package import ControlAPI
package import Glibc
internal import JOSE
internal import JSON
internal import OpenSSL
internal import SQLite
internal import Time
internal import WebAddress

extension Authenticator {
  private static let payloadLifetime = 120
  /// How long a token that answers a payload may take: a sign-on has ten minutes, a browser some more.
  private static let payloadMemory = 15 * 60

  /// A mobile payload: a JWS by the answer key that ties an authorize request to this device.
  ///
  /// The audience is the issuer, or the platform when none is known; `challenge` binds the payload to a sign-on
  /// that the daemon runs itself.
  package func makePayload(
    for owner: uid_t,
    audience: String? = nil,
    challenge: String? = nil
  ) async throws -> PayloadGenerate.Answer {
    let primary = try await requireIdentity(of: owner)
    // The platform of an issuer knows only the device that was introduced to it.
    let identity =
      try trustedIdentities(of: owner).first { audience.map($0.issuers.contains) ?? false } ?? primary
    try takeRoom(of: owner)
    let now = time.now()
    let id = try Self.makeID()
    let expiry = now.adding(seconds: Self.payloadLifetime)
    var claims: JSONObject = [
      "iss": .string(configuration.applicationID),
      "aud": .string(audience ?? acceptedIssuers(of: identity).first ?? identity.platform.url.text),
      "sub": .string(identity.deviceID ?? ""), "iat": .int(now.seconds), "exp": .int(expiry.seconds),
      "jti": .string(id), "os": "Linux", "pushEnabled": .bool(try store.pushChannel(of: owner).isEnabled),
      "posture": posture(),
    ]
    claims["client_id"] = configuration.clientID.map { .string($0) }
    claims["cnf"] = challenge.map { .string($0) }
    let payload = try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: "mobile-payload+jwt",
      keyID: JWK(identity.keys.answer.publicKey).thumbprint,
      with: identity.keys.answer,
      algorithm: .es256
    )
    try store.insertPayload(id, owner: owner, until: now.adding(seconds: Self.payloadMemory), now: now)
    return PayloadGenerate.Answer(mobilePayload: payload, expiresAt: expiry)
  }

  /// The issuers whose ID tokens are taken from an owner, whichever of their geographies they belong to.
  package func acceptedIssuers(of owner: uid_t) async throws -> [String] {
    _ = try await requireIdentity(of: owner)
    var issuers: [String] = []
    for issuer in try trustedIdentities(of: owner).flatMap(acceptedIssuers) where !issuers.contains(issuer) {
      issuers.append(issuer)
    }
    return issuers
  }

  /// The issuers whose ID tokens are taken: those of the configuration, and those that the platform announced
  /// when they share its origin.
  func acceptedIssuers(of identity: Identity) -> [String] {
    configuration.issuers
      + identity.issuers.filter { issuer in
        !configuration.issuers.contains(issuer) && WebURL(issuer)?.origin == identity.platform.url.origin
      }
  }
}

// Rows of `payload` and `used_token`.

extension Store {
  func insertPayload(_ id: String, owner: uid_t, until expiry: Timestamp, now: Timestamp) throws {
    try transaction { database in
      try database.run("DELETE FROM payload WHERE expires_at < ?", SQLValue(now.milliseconds))
      try database.run(
        "INSERT INTO payload VALUES (?, ?, ?)",
        .text(id),
        SQLValue(owner),
        SQLValue(expiry.milliseconds)
      )
    }
  }

  /// Takes a payload away; false if this owner made none of that id or it is over.
  func takePayload(_ id: String, owner: uid_t, now: Timestamp) throws -> Bool {
    try database.run(
      "DELETE FROM payload WHERE jti = ? AND owner = ? AND expires_at >= ?",
      .text(id),
      SQLValue(owner),
      SQLValue(now.milliseconds)
    ) == 1
  }

  /// Remembers a token; false if it was remembered before.
  func insertUsedToken(_ digest: [UInt8], owner: uid_t, until expiry: Timestamp, now: Timestamp) throws
    -> Bool
  {
    try database.run("DELETE FROM used_token WHERE expires_at < ?", SQLValue(now.milliseconds))
    return try database.run(
      "INSERT OR IGNORE INTO used_token VALUES (?, ?, ?)",
      .blob(digest),
      SQLValue(owner),
      SQLValue(expiry.milliseconds)
    ) == 1
  }
}
