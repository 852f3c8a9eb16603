internal import Accounts
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import SQLite
internal import Time
internal import Vault

/// An unsealed row of `pairing`, from the pairing request until its completion.
struct PairingRecord: Sendable {
  /// The state of a pairing; completion deletes the row.
  enum State: String, Sendable {
    /// Waits for the owner's decision.
    case received
    /// The owner approved it. The request to the platform is in progress.
    case approved
    /// The platform created the pairing. The check of its first passcode is in progress.
    case activating
  }

  let id: String
  let owner: uid_t
  let identity: String
  let state: State
  let environment: String?
  let user: User?
  let key: String
  let account: String?
  let expiresAt: Timestamp
}

// Rows of `pairing`.

extension Vault {
  func insertPairing(_ record: PairingRecord) throws {
    let (id, owner) = (record.id, record.owner)
    let (key, wrapped) = try sealer.makeDataKey(Self.pairingLabel("pairing.data_key", id, owner))
    let user = try record.user.map {
      try key.seal($0, as: Self.pairingLabel("pairing.user", id, owner))
    }
    try write {
      try $0.run(
        """
        INSERT INTO pairing (id, owner, identity, state, environment, data_key, user, pairing_key, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        .text(id),
        SQLValue(owner),
        .text(record.identity),
        .text(record.state.rawValue),
        SQLValue(record.environment),
        .blob(wrapped),
        SQLValue(user),
        .blob(try key.seal(record.key, as: Self.pairingLabel("pairing.key", id, owner))),
        SQLValue(record.expiresAt.milliseconds)
      )
    }
  }

  func pairing(_ id: String, of owner: uid_t) throws -> PairingRecord? {
    try pairings(of: owner).first { $0.id == id }
  }

  /// Returns the pairings of an owner in the order of their expiry.
  func pairings(of owner: uid_t) throws -> [PairingRecord] {
    try database.rows(
      "SELECT * FROM pairing WHERE owner = ? ORDER BY expires_at, id",
      SQLValue(owner)
    ) { $0 }.map(pairing)
  }

  /// Returns the started but unfinished pairings of all owners.
  func unfinishedPairings() throws -> [PairingRecord] {
    try database.rows("SELECT * FROM pairing WHERE state != 'received'") { $0 }.compactMap { row in
      try sealer.unlessDamaged("pairing", of: uid_t(truncatingIfNeeded: row.int("owner"))) {
        try pairing(row)
      }
    }
  }

  private func pairing(_ row: Row) throws -> PairingRecord {
    let (id, owner) = (row.text("id"), uid_t(truncatingIfNeeded: row.int("owner")))
    let key = try sealer.dataKey(
      unwrapping: row.blob("data_key"),
      Self.pairingLabel("pairing.data_key", id, owner)
    )
    let user = try row.optionalBlob("user").map {
      try key.openUser($0, as: Self.pairingLabel("pairing.user", id, owner))
    }
    guard let state = PairingRecord.State(rawValue: row.text("state")) else { throw SealingError.damaged }
    return PairingRecord(
      id: id,
      owner: owner,
      identity: row.text("identity"),
      state: state,
      environment: row.optionalText("environment"),
      user: user,
      key: try key.openText(row.blob("pairing_key"), as: Self.pairingLabel("pairing.key", id, owner)),
      account: row.optionalText("account"),
      expiresAt: Timestamp(milliseconds: Int64(row.int("expires_at")))
    )
  }

  private static func pairingLabel(_ name: StaticString, _ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel(name, row: id, owner: owner)
  }

  // MARK: Changes

  /// Moves a pairing from one state to another; returns false if it was not in the state `old`.
  func movePairing(_ id: String, from old: PairingRecord.State, to new: PairingRecord.State) throws -> Bool {
    try write {
      try $0.run(
        "UPDATE pairing SET state = ? WHERE id = ? AND state = ?",
        .text(new.rawValue),
        .text(id),
        .text(old.rawValue)
      ) == 1
    }
  }

  /// Makes a pairing wait for its owner's decision again.
  func returnPairing(_ id: String) throws {
    try write { try $0.run("UPDATE pairing SET state = 'received' WHERE id = ?", .text(id)) }
  }

  /// Stores the identity of another geography with which a pairing continues.
  func setPairingIdentity(_ id: String, _ identity: Identity) throws {
    try write { try $0.run("UPDATE pairing SET identity = ? WHERE id = ?", .text(identity.id), .text(id)) }
  }

  /// Links a pairing to the account that it created.
  func setPairingAccount(_ id: String, _ account: String) throws {
    let count = try write {
      try $0.run(
        "UPDATE pairing SET state = 'activating', account = ? WHERE id = ?",
        .text(account),
        .text(id)
      )
    }
    // The pairing was deleted with its device or its owner during the request to the platform.
    guard count == 1 else { throw RPCError.notConfigured }
  }

  /// Deletes a pairing without a response from the platform.
  func dropUnansweredPairing(_ id: String) throws {
    try write { try $0.run("DELETE FROM pairing WHERE id = ? AND state = 'approved'", .text(id)) }
  }

  func deletePairing(_ id: String) throws {
    try write { try $0.run("DELETE FROM pairing WHERE id = ?", .text(id)) }
  }

  func pairingUsage(of owner: uid_t) throws -> Quota.Usage {
    try usage(
      of: owner,
      by: """
        SELECT (SELECT count(*) FROM payload WHERE owner = ?1) + (SELECT count(*) FROM used_token WHERE owner = ?1)
          + (SELECT count(*) FROM pairing WHERE owner = ?1) AS rows, 0 AS bytes
        """
    )
  }
}
