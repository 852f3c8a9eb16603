internal import EventLoop
internal import Glibc
internal import JOSE
internal import JSON
internal import SQLite
internal import Time
internal import Vault

/// Rows of `am_unread`: messages that arrived while their owner was locked and could not be verified.
@EventLoop
struct AMUnreadTable {
  let vault: Vault
  let quota: Quota

  /// Maximum number of messages of each owner; the newest remain.
  static nonisolated let mostMessages = 20

  /// Stores a message of an unauthenticated sender, unless the same message is already stored.
  func keep(_ envelope: AMPushEnvelope, of owner: uid_t, at now: Timestamp) throws {
    let id = try OpaqueID.make()
    let (key, wrapped) = try vault.sealer.makeDataKey(Self.keyLabel(id, owner))
    let message = envelope.stored.serialized
    try quota.makeRoom(for: message.count, of: owner)
    try vault.write {
      try $0.run(
        """
        INSERT OR IGNORE INTO am_unread (id, owner, data_key, digest, message, received_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        .text(id),
        SQLValue(owner),
        .blob(wrapped),
        .blob(try vault.sealer.digest("pingam.unread", [String(decoding: message, as: UTF8.self)])),
        .blob(try key.seal(message, as: Self.label(id, owner))),
        SQLValue(now.milliseconds)
      )
      try $0.run(
        """
        DELETE FROM am_unread WHERE owner = ?1 AND sequence NOT IN (
          SELECT sequence FROM am_unread WHERE owner = ?1 ORDER BY sequence DESC LIMIT ?2)
        """,
        SQLValue(owner),
        SQLValue(Self.mostMessages)
      )
    }
  }

  /// Removes and returns the oldest message of an owner, without its envelope if it is damaged.
  ///
  /// Returns `nil` without a message.
  func takeOldest(of owner: uid_t) throws -> (envelope: AMPushEnvelope?, receivedAt: Timestamp)? {
    let row = try vault.database.row(
      "SELECT * FROM am_unread WHERE owner = ? ORDER BY sequence LIMIT 1",
      SQLValue(owner)
    ) { $0 }
    guard let row else { return nil }
    let id = row.text("id")
    try vault.write { try $0.run("DELETE FROM am_unread WHERE id = ?", .text(id)) }
    let stored = try vault.sealer.unlessDamaged("unread push", of: owner) {
      try vault.sealer.dataKey(unwrapping: row.blob("data_key"), Self.keyLabel(id, owner))
        .open(row.blob("message"), as: Self.label(id, owner))
    }
    let envelope = stored.flatMap { try? JSON(parsing: $0) }.flatMap { AMPushEnvelope.found(in: $0) }
    return (envelope, Timestamp(milliseconds: Int64(row.int("received_at"))))
  }

  func purge(before limit: Timestamp) throws {
    try vault.write {
      try $0.run("DELETE FROM am_unread WHERE received_at < ?", SQLValue(limit.milliseconds))
    }
  }

  /// Returns an owner's number of rows and the size of their long values in bytes; needs no key.
  func usage(of owner: uid_t) throws -> Quota.Usage {
    try vault.usage(
      of: owner,
      by: "SELECT count(*) AS rows, coalesce(sum(length(message)), 0) AS bytes FROM am_unread WHERE owner = ?"
    )
  }

  private static func keyLabel(_ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel("am_unread.data_key", row: id, owner: owner)
  }

  private static func label(_ id: String, _ owner: uid_t) -> SealLabel {
    SealLabel("am_unread.message", row: id, owner: owner)
  }
}
