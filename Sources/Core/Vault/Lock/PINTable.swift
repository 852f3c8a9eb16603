package import Glibc
package import SQLite
internal import Time

// Rows of `pin`: that an owner has one, by which salt a key is derived of it, and how often it was tried in vain.

/// What is known of an owner's PIN without it.
struct PINRecord: Equatable {
  let salt: [UInt8]
  /// Tries since the last that was right, with those that were counted and never checked.
  let tries: Int
}

extension Vault {
  package nonisolated static let pinSchema = Migration.sql(
    """
    CREATE TABLE pin (
      owner INTEGER PRIMARY KEY REFERENCES owner (uid) ON DELETE CASCADE,
      salt BLOB NOT NULL,
      tries INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    """
  )

  /// The PIN of an owner, if they have one; this needs no key.
  func pin(of owner: uid_t) throws -> PINRecord? {
    try pins.value(of: owner) {
      try database.row("SELECT salt, tries FROM pin WHERE owner = ?", SQLValue(owner)) {
        PINRecord(salt: $0.blob(0), tries: $0.int(1))
      }
    }
  }

  /// Stores a PIN that has not been tried yet, or that there is none.
  func setPIN(salt: [UInt8]?, of owner: uid_t) throws {
    try changePIN(of: owner) { database in
      guard let salt else { return try database.run("DELETE FROM pin WHERE owner = ?", SQLValue(owner)) }
      return try database.run(
        "INSERT OR REPLACE INTO pin (owner, salt, tries) VALUES (?, ?, 0)",
        SQLValue(owner),
        .blob(salt)
      )
    }
  }

  /// Counts a try, or forgets all of them after one that was right.
  func setTries(_ tries: Int, of owner: uid_t) throws {
    try changePIN(of: owner) {
      try $0.run("UPDATE pin SET tries = ? WHERE owner = ?", SQLValue(tries), SQLValue(owner))
    }
  }

  /// The most tries of any owner.
  func mostTries() throws -> Int {
    try database.row("SELECT coalesce(max(tries), 0) FROM pin") { $0.int(0) } ?? 0
  }

  /// Counts more tries of everybody, if there were fewer.
  func raiseTries(to tries: Int) throws {
    defer { pins.forgetAll() }
    try write { _ = try $0.run("UPDATE pin SET tries = max(tries, ?)", SQLValue(tries)) }
  }

  private func changePIN(of owner: uid_t, _ body: (Database) throws -> Int) throws {
    defer { pins.forget(owner) }
    _ = try write(body)
  }

  /// Whether an owner has a PIN that was not given lately, or not rightly; what is personal is not shown then.
  package func isLocked(_ owner: uid_t) throws -> Bool {
    try pin(of: owner) != nil && sealer.lock?.isUnlocked(owner) != true
  }

  /// The lock over everybody's PIN, once there is one.
  package var lock: PINLock? { sealer.lock }

  package func pinState(of owner: uid_t) throws -> PINLock.State { try lock?.state(of: owner) ?? .none }
}
