public import Glibc
internal import SQLite
internal import Time

// Rows of `pin`: that an owner has one, by which salt a key is derived of it, and how often it was tried in vain.
// Whoever writes the file without the key can take a row away, with which nothing opens, and cannot make one.

/// What is known of an owner's PIN without it.
struct PINRecord: Equatable {
  let salt: [UInt8]
  /// Tries since the last that was right, with those that were counted and never checked.
  let tries: Int
  /// Grows with each change.
  let version: Int
  var seal: [UInt8] = []
}

extension Vault {
  /// The PIN of an owner, if they have one; this needs no key, and so does not look at the seal.
  func pin(of owner: uid_t) throws -> PINRecord? {
    try pins.value(of: owner) {
      try database.row("SELECT salt, tries, version, seal FROM pin WHERE owner = ?", SQLValue(owner)) {
        PINRecord(salt: $0.blob(0), tries: $0.int(1), version: $0.int(2), seal: $0.blob(3))
      }
    }
  }

  func ownersWithPIN() throws -> [uid_t] {
    try database.rows("SELECT owner FROM pin ORDER BY owner") { uid_t(truncatingIfNeeded: $0.int(0)) }
  }

  /// Stores a PIN that has not been tried yet.
  func setPIN(salt: [UInt8], of owner: uid_t, after version: Int) throws {
    let version = max(version, try pin(of: owner)?.version ?? 0) + 1
    try store(PINRecord(salt: salt, tries: 0, version: version), of: owner)
  }

  /// Stores how often the PIN was tried.
  func setTries(_ tries: Int, of owner: uid_t, after version: Int = 0) throws {
    guard let pin = try pin(of: owner) else { return }
    try store(PINRecord(salt: pin.salt, tries: tries, version: max(version, pin.version) + 1), of: owner)
  }

  /// Stores that there is no PIN.
  func removePIN(of owner: uid_t) throws {
    defer { pins.forget(owner) }
    try write { _ = try $0.run("DELETE FROM pin WHERE owner = ?", SQLValue(owner)) }
  }

  private func store(_ pin: PINRecord, of owner: uid_t) throws {
    defer { pins.forget(owner) }
    _ = try write {
      try $0.run(
        "INSERT OR REPLACE INTO pin (owner, salt, tries, version, seal) VALUES (?, ?, ?, ?, ?)",
        SQLValue(owner),
        .blob(pin.salt),
        SQLValue(pin.tries),
        SQLValue(pin.version),
        .blob(sealer.seal(pin, of: owner))
      )
    }
  }

  /// Whether an owner has a PIN that was not given lately, or not rightly; what is personal is not shown then.
  public func isLocked(_ owner: uid_t) throws -> Bool {
    try pin(of: owner) != nil && sealer.lock?.isUnlocked(owner) != true
  }

  /// The lock over everybody's PIN, once there is one.
  public var lock: PINLock? { sealer.lock }

  public func pinState(of owner: uid_t) throws -> PINLock.State { try lock?.state(of: owner) ?? .none }
}

extension Sealer {
  /// What vouches for all else that is known of a PIN.
  func seal(_ pin: PINRecord, of owner: uid_t) throws -> [UInt8] {
    try digest("pin.row", ["\(owner)", "\(pin.salt)", "\(pin.tries)", "\(pin.version)"])
  }
}
