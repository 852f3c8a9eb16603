internal import Glibc
internal import SQLite

// A PIN is in force as it was last, also over secrets that are put back. Its owner's key is the same in both states, so
// that what it wraps can be carried over.

extension Vault {
  /// Takes over PINs, and the tries of them, from the state that is attached as `live`.
  func takePINsFromLive() throws {
    let guards = try database.rows(
      """
      SELECT owner, key FROM live.owner_guard JOIN live.owner_key USING (slot)
        WHERE owner IN (SELECT uid FROM main.owner)
      """
    ) { (owner: uid_t(truncatingIfNeeded: $0.int(0)), wrapped: $0.blob(1)) }
    for each in guards {
      try setGuardKey(each.wrapped, of: each.owner)
      try database.run("DELETE FROM pin WHERE owner = ?", SQLValue(each.owner))
    }
    try database.run("INSERT INTO pin SELECT * FROM live.pin WHERE owner IN (SELECT uid FROM main.owner)")
    pins.forgetAll()
  }

  /// Takes no PIN any more: how often each was tried since is not known.
  func disablePINs() throws {
    for owner in try ownersWithPIN() { try setTries(PINTries.most, of: owner) }
  }
}
