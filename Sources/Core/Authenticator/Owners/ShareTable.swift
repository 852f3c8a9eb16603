internal import Glibc
internal import SQLite
internal import Time

// How much the rows of an owner take.

extension Store {
  /// What a row takes beside its long values.
  private static let rowOverhead = 256
  /// What sealing adds to a value, and a little more.
  private static let sealOverhead = 32

  /// Takes room for so many bytes more in a new row; false if the owner's share has none left.
  ///
  /// What is known of an owner is never less than the truth, since removals are not counted; only when it says that
  /// there is no room the rows are measured.
  func takeRoom(_ bytes: Int, of owner: uid_t) throws -> Bool {
    let wanted = bytes + Self.sealOverhead + Self.rowOverhead
    if let known = usedBytes[owner], known + wanted <= Share.bytes {
      usedBytes[owner] = known + wanted
      return true
    }
    let used = try measuredBytes(of: owner)
    let hasRoom = used + wanted <= Share.bytes
    usedBytes[owner] = hasRoom ? used + wanted : used
    return hasRoom
  }

  /// The bytes of an owner's rows; lengths stand in the heads of rows, so that no long value is read.
  func measuredBytes(of owner: uid_t) throws -> Int {
    let sums = try database.row(
      """
      SELECT (SELECT count(*) FROM payload WHERE owner = ?1) + (SELECT count(*) FROM used_token WHERE owner = ?1)
        + (SELECT count(*) FROM account WHERE owner = ?1) + (SELECT count(*) FROM pairing WHERE owner = ?1)
        + (SELECT count(*) FROM notification WHERE owner = ?1)
        + (SELECT count(*) FROM authentication WHERE owner = ?1)
        + (SELECT count(*) FROM session WHERE owner = ?1)
        + (SELECT count(*) FROM cancelled_push WHERE identity IN (SELECT id FROM identity WHERE owner = ?1)),
        (SELECT coalesce(sum(length(content)), 0) FROM notification WHERE owner = ?1)
        + (SELECT coalesce(sum(length(content)), 0) FROM authentication WHERE owner = ?1)
        + (SELECT coalesce(sum(length(content)), 0) FROM session WHERE owner = ?1)
        + (SELECT coalesce(sum(length(user) + length(authenticators)), 0) FROM account WHERE owner = ?1)
      """,
      SQLValue(owner)
    ) { (rows: $0.int(0), bytes: $0.int(1)) }
    return sums.map { $0.rows * Self.rowOverhead + $0.bytes } ?? 0
  }

  /// Removes codes that are over, and the older half of the pushes that are settled.
  ///
  /// One that could still come again is remembered as if it had been cancelled, so that it is not asked about twice.
  func dropOldestSettled(of owner: uid_t, now: Timestamp) throws {
    try transaction { database in
      try database.run(
        "DELETE FROM authentication WHERE owner = ? AND (status != 'CLAIMED' OR expires_at < ?)",
        SQLValue(owner),
        SQLValue(now.milliseconds)
      )
      let last = try database.row(
        """
        SELECT max(sequence) FROM (
          SELECT sequence FROM notification WHERE owner = ?1 AND state NOT IN ('pending', 'sending')
          ORDER BY sequence
          LIMIT (SELECT (count(*) + 1) / 2 FROM notification
            WHERE owner = ?1 AND state NOT IN ('pending', 'sending')))
        """,
        SQLValue(owner)
      ) { $0.optionalInt(0) }
      guard let last = last ?? nil else { return }
      try database.run(
        """
        INSERT OR IGNORE INTO cancelled_push (identity, push_id, user_id, expires_at)
        SELECT n.identity, n.push_id, a.user_id, n.received_at + ?4
        FROM notification AS n JOIN account AS a ON a.id = n.account
        WHERE n.owner = ?1 AND n.state NOT IN ('pending', 'sending') AND n.sequence <= ?2
          AND n.received_at + ?4 > ?3
        """,
        SQLValue(owner),
        SQLValue(last),
        SQLValue(now.milliseconds),
        SQLValue(Self.replayWindow)
      )
      try database.run(
        "DELETE FROM notification WHERE owner = ?1 AND state NOT IN ('pending', 'sending') AND sequence <= ?2",
        SQLValue(owner),
        SQLValue(last)
      )
    }
  }

  /// How long a push may be valid, in milliseconds, with the leeway of clocks on both sides.
  private static let replayWindow = (86_400 + 120) * 1000
}
