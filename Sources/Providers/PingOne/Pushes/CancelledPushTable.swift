internal import EventLoop
internal import Glibc
internal import SQLite
internal import Time
internal import Vault

// Rows of `cancelled_push`: cancellations whose push has not come yet, or on whose push a decision was on its way.

extension Vault {
  /// The most cancellations that are remembered for a device.
  nonisolated static let cancellationLimit = 16_384

  /// Remembers a cancellation; of too many the oldest is forgotten.
  func insertCancellation(
    of push: String,
    user: String,
    identity: Identity,
    until expiry: Timestamp
  ) throws {
    let digest = try sealer.digest("cancelled_push", [identity.id, user])
    try write { database in
      try database.run(
        """
        INSERT OR IGNORE INTO cancelled_push (identity, push_id, user_digest, expires_at) VALUES (?, ?, ?, ?)
        """,
        .text(identity.id),
        .text(push),
        .blob(digest),
        SQLValue(expiry.milliseconds)
      )
      try database.run(
        """
        DELETE FROM cancelled_push WHERE identity = ?1 AND sequence <=
          (SELECT sequence FROM cancelled_push WHERE identity = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
        """,
        .text(identity.id),
        SQLValue(Self.cancellationLimit)
      )
    }
  }

  /// Whether such a cancellation came.
  func isCancelled(_ push: String, user: String, identity: Identity) throws -> Bool {
    let digest = try sealer.digest("cancelled_push", [identity.id, user])
    return try database.row(
      "SELECT 1 FROM cancelled_push WHERE identity = ? AND push_id = ? AND user_digest = ?",
      .text(identity.id),
      .text(push),
      .blob(digest)
    ) { _ in true } ?? false
  }

  func purgeCancellations(now: Timestamp) throws {
    try write { try $0.run("DELETE FROM cancelled_push WHERE expires_at < ?", SQLValue(now.milliseconds)) }
  }

  func cancellationUsage(of owner: uid_t) throws -> Quota.Usage {
    let rows = try database.row(
      "SELECT count(*) FROM cancelled_push WHERE identity IN (SELECT id FROM identity WHERE owner = ?)",
      SQLValue(owner)
    ) { $0.int(0) }
    return Quota.Usage(rows: rows ?? 0, bytes: 0)
  }
}
