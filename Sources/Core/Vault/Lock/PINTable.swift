public import Glibc
internal import SQLite
internal import Time

// Rows of `pin`: the salt of an owner's PIN and the number of failed tries. A process that can write the file
// but has no key can remove a row, which unlocks nothing, but cannot create a valid one.

/// The stored data of an owner's PIN, which does not include the PIN.
struct PINRecord: Equatable {
  let salt: [UInt8]
  /// Number of tries since the last correct one, including tries that a crash prevented from being checked.
  let tries: Int
  /// The version, which grows with each change.
  let version: Int
  var seal: [UInt8] = []
}

extension Vault {
  /// Returns the PIN record of an owner, if there is one.
  ///
  /// Needs no key and therefore does not verify the seal.
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

  /// Stores the salt of a new PIN with no tries; the version is higher than `version`.
  func setPIN(salt: [UInt8], of owner: uid_t, after version: Int) throws {
    let version = max(version, try pin(of: owner)?.version ?? 0) + 1
    try store(PINRecord(salt: salt, tries: 0, version: version), of: owner)
  }

  /// Stores the number of tries; the new version is higher than `version`.
  func setTries(_ tries: Int, of owner: uid_t, after version: Int = 0) throws {
    guard let pin = try pin(of: owner) else { return }
    try store(PINRecord(salt: pin.salt, tries: tries, version: max(version, pin.version) + 1), of: owner)
  }

  /// Deletes the PIN record of an owner.
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

  /// True if an owner has a PIN and is not unlocked; personal data is then hidden.
  public func isLocked(_ owner: uid_t) throws -> Bool {
    try pin(of: owner) != nil && sealer.lock?.isUnlocked(owner) != true
  }

  /// The lock of all owners, once it exists.
  public var lock: PINLock? { sealer.lock }

  public func pinState(of owner: uid_t) throws -> PINLock.State { try lock?.state(of: owner) ?? .none }
}

extension Sealer {
  /// Returns the seal that authenticates the other fields of a PIN record.
  func seal(_ pin: PINRecord, of owner: uid_t) throws -> [UInt8] {
    try digest("pin.row", ["\(owner)", "\(pin.salt)", "\(pin.tries)", "\(pin.version)"])
  }
}
