internal import ControlAPI
internal import Glibc
internal import JSON
internal import JSONRPC
internal import SQLite
internal import Time

/// A row of `pairing`, opened: from the wish to pair until it is carried out.
struct PairingRecord: Sendable {
  /// How far a pairing is; the last step takes the row away.
  enum State: String, Sendable {
    /// It waits for its owner's word.
    case received
    /// Its owner wants it; the platform is being asked.
    case approved
    /// The platform set it up; its first passcode is being checked.
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

extension Store {
  func insertPairing(_ record: PairingRecord) throws {
    let (id, owner) = (record.id, record.owner)
    let (dataKey, wrapped) = try makeDataKey(at: Self.place(id, owner, "data_key"))
    let sealed = try dataKey.seal(Array(record.key.utf8), at: Self.place(id, owner, "pairing_key"))
    try database.run(
      """
      INSERT INTO pairing (id, owner, identity, state, environment, user, data_key, pairing_key, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(id),
      SQLValue(owner),
      .text(record.identity),
      .text(record.state.rawValue),
      SQLValue(record.environment),
      SQLValue(record.user?.json.text),
      .blob(wrapped),
      .blob(sealed),
      SQLValue(record.expiresAt.milliseconds)
    )
  }

  /// The pairing of that id, if it is this owner's.
  func pairing(_ id: String, of owner: uid_t) throws -> PairingRecord? {
    try pairings(of: owner).first { $0.id == id }
  }

  /// The pairings of an owner in the order of their ends.
  func pairings(of owner: uid_t) throws -> [PairingRecord] {
    try database.rows(
      """
      SELECT id, owner, identity, state, environment, user, data_key, pairing_key, account, expires_at
      FROM pairing WHERE owner = ? ORDER BY expires_at, id
      """,
      SQLValue(owner)
    ) { $0 }.map(record)
  }

  /// The pairings that were begun and not finished, of all owners.
  func unfinishedPairings() throws -> [PairingRecord] {
    try database.rows(
      """
      SELECT id, owner, identity, state, environment, user, data_key, pairing_key, account, expires_at
      FROM pairing WHERE state != 'received'
      """
    ) { $0 }.compactMap { row in
      try unlessDamaged("pairing", of: uid_t(truncatingIfNeeded: row.int(1))) { try record(row) }
    }
  }

  private func record(_ row: Row) throws -> PairingRecord {
    let (id, owner) = (row.text(0), uid_t(truncatingIfNeeded: row.int(1)))
    let dataKey = try dataKey(unwrapping: row.blob(6), at: Self.place(id, owner, "data_key"))
    let key = try dataKey.open(row.blob(7), at: Self.place(id, owner, "pairing_key"))
    let user = try row.optionalText(5).map { try JSON(parsing: $0) }
    return PairingRecord(
      id: id,
      owner: owner,
      identity: row.text(2),
      state: PairingRecord.State(rawValue: row.text(3)) ?? .received,
      environment: row.optionalText(4),
      user: user.flatMap { User(platform: $0) },
      key: String(decoding: key, as: UTF8.self),
      account: row.optionalText(8),
      expiresAt: Timestamp(milliseconds: Int64(row.int(9)))
    )
  }

  /// Moves a pairing from one state to another; false if it was not in the first.
  func movePairing(_ id: String, from old: PairingRecord.State, to new: PairingRecord.State) throws -> Bool {
    try database.run(
      "UPDATE pairing SET state = ? WHERE id = ? AND state = ?",
      .text(new.rawValue),
      .text(id),
      .text(old.rawValue)
    ) == 1
  }

  /// Lets a pairing wait for its owner's word again.
  func returnPairing(_ id: String) throws {
    try database.run("UPDATE pairing SET state = 'received' WHERE id = ?", .text(id))
  }

  /// Stores with which of its owner's devices a pairing goes on.
  func setPairingIdentity(_ id: String, _ identity: Identity) throws {
    try database.run("UPDATE pairing SET identity = ? WHERE id = ?", .text(identity.id), .text(id))
  }

  /// Removes the pairings of a device, with the accounts that have not come into force.
  func deletePairings(of identity: Identity) throws {
    for pairing in try pairings(of: identity.owner) where pairing.identity == identity.id {
      try deletePairing(pairing.id)
    }
  }

  /// Ties a pairing to the account that it made.
  func setPairingAccount(_ id: String, _ account: String) throws {
    let count = try database.run(
      "UPDATE pairing SET state = 'activating', account = ? WHERE id = ?",
      .text(account),
      .text(id)
    )
    // It went with its device or its owner while the platform was asked.
    guard count == 1 else { throw RPCError.notConfigured }
  }

  /// Removes a pairing that the platform has not answered yet.
  func dropUnansweredPairing(_ id: String) throws {
    try database.run("DELETE FROM pairing WHERE id = ? AND state = 'approved'", .text(id))
  }

  /// Removes a pairing, and its account if that has not come into force.
  func deletePairing(_ id: String) throws {
    try transaction { database in
      try database.run(
        """
        DELETE FROM account
        WHERE state = 'activating' AND id = (SELECT account FROM pairing WHERE id = ?)
        """,
        .text(id)
      )
      try database.run("DELETE FROM pairing WHERE id = ?", .text(id))
    }
  }

  private static func place(_ id: String, _ owner: uid_t, _ column: StaticString) -> Place {
    Place(table: "pairing", row: id, owner: owner, column: column)
  }
}
