internal import EventLoop
internal import Glibc
internal import SQLite
internal import Time
internal import Vault

// Rows of `payload` and `used_token`.

extension Vault {
  func insertPayload(_ id: String, owner: uid_t, until expiry: Timestamp, now: Timestamp) throws {
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

  /// Takes a payload away; false if this owner made none of that id or it is over.
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

  /// Remembers a token; false if it was remembered before.
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

  /// Removes tokens that are over, and pairings that nobody decided on.
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
