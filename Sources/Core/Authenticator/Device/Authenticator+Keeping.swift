internal import EventLoop
package import Glibc
internal import SQLite
internal import Time

extension Authenticator {
  /// Stores whether purging the package keeps an owner's state.
  package func setKeepsOnReinstall(_ keeps: Bool, owner: uid_t) throws {
    try store.setKeepsOnReinstall(keeps, of: owner, at: time.now())
  }
}

extension Store {
  /// The owners whose state outlives the package.
  package var keptOwners: [uid_t] {
    get throws {
      try database.rows("SELECT uid FROM owner WHERE keep_on_reinstall = 1 ORDER BY uid") {
        uid_t(truncatingIfNeeded: $0.int(0))
      }
    }
  }

  fileprivate func setKeepsOnReinstall(_ keeps: Bool, of owner: uid_t, at now: Timestamp) throws {
    _ = try transaction { database in
      try insertOwner(owner, at: now.milliseconds)
      return try database.run(
        "UPDATE owner SET keep_on_reinstall = ? WHERE uid = ?",
        SQLValue(keeps ? 1 : 0),
        SQLValue(owner)
      )
    }
  }
}
