internal import Glibc
internal import OpenSSL
internal import SQLite
internal import Time

// The keys in rows of `identity`, and how one pair takes the place of another.

extension Store {
  /// Stores the keys of a rotation before the platform hears of them.
  func setNextKeys(_ keys: IdentityKeys, of identity: Identity) throws {
    let (device, answer) = try sealed(keys, of: identity, in: ("next_device_key", "next_answer_key"))
    try database.run(
      "UPDATE identity SET next_device_key = ?, next_answer_key = ? WHERE id = ?",
      .blob(device),
      .blob(answer),
      .text(identity.id)
    )
    identity.nextKeys = keys
  }

  /// Gives up a rotation that the platform refused.
  func dropNextKeys(of identity: Identity) throws {
    try database.run(
      "UPDATE identity SET next_device_key = NULL, next_answer_key = NULL WHERE id = ?",
      .text(identity.id)
    )
    identity.nextKeys = nil
  }

  /// Stores that the platform took the keys of a rotation.
  func adoptNextKeys(of identity: Identity, at now: Timestamp) throws {
    guard let keys = identity.nextKeys else { return }
    try replaceKeys(keys, of: identity, at: now)
    (identity.keys, identity.keysMadeAt, identity.nextKeys) = (keys, now, nil)
  }

  /// Makes an identity that the platform has forgotten one that it has never heard of.
  func resetIdentity(_ identity: Identity, at now: Timestamp) throws {
    let keys = try IdentityKeys.generate()
    try replaceKeys(keys, of: identity, at: now)
    try database.run(
      """
      UPDATE identity SET device_id = NULL, issuers = '[]', push_registered = 0, cursor = NULL WHERE id = ?
      """,
      .text(identity.id)
    )
    whenCommitted {
      (identity.keys, identity.keysMadeAt, identity.nextKeys) = (keys, now, nil)
      (identity.deviceID, identity.issuers, identity.cursor) = (nil, [], nil)
      identity.isPushRegistered = false
    }
  }

  private func replaceKeys(_ keys: IdentityKeys, of identity: Identity, at now: Timestamp) throws {
    let (device, answer) = try sealed(keys, of: identity, in: ("device_key", "answer_key"))
    try database.run(
      """
      UPDATE identity SET device_key = ?, answer_key = ?, keys_made_at = ?, next_device_key = NULL,
        next_answer_key = NULL
      WHERE id = ?
      """,
      .blob(device),
      .blob(answer),
      SQLValue(now.milliseconds),
      .text(identity.id)
    )
  }

  private func sealed(
    _ keys: IdentityKeys,
    of identity: Identity,
    in columns: (device: StaticString, answer: StaticString)
  ) throws -> (device: [UInt8], answer: [UInt8]) {
    let (id, owner) = (identity.id, identity.owner)
    let wrapped = try database.row("SELECT data_key FROM identity WHERE id = ?", .text(id)) { $0.blob(0) }
    let dataKey = try dataKey(unwrapping: wrapped ?? [], at: Self.identityPlace(id, owner, "data_key"))
    return (
      try Self.seal(keys.device, with: dataKey, at: Self.identityPlace(id, owner, columns.device)),
      try Self.seal(keys.answer, with: dataKey, at: Self.identityPlace(id, owner, columns.answer))
    )
  }
}
