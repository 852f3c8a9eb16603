internal import ControlAPI
internal import EventLoop
public import Glibc
internal import SQLite
internal import Time

// The limits of the audit. After a removal, the chain begins after the last removed entry.

extension Vault {
  /// Number of an owner's newest entries that trimming keeps, about 15 MiB.
  public nonisolated static let auditLimit = 65_536

  /// Removes the oldest entries of an owner beyond the limit.
  public func trimAudit(of owner: uid_t, to limit: Int = auditLimit) throws {
    let last = try database.row(
      "SELECT sequence FROM audit WHERE owner = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?",
      SQLValue(owner),
      SQLValue(limit)
    ) { $0.int(0) }
    if let last { try dropAudit(of: owner, upTo: last) }
  }

  /// Removes a batch of old entries, owner by owner: all entries before the owner's first entry that is newer
  /// than the limit.
  ///
  /// Returns the owner after which to continue; nil if nothing is left. An entry with a date in the future,
  /// from a wrong clock, does not count as newer. Without the key nothing is removed, since no seal could
  /// record the removal.
  func purgeAudit(before limit: Timestamp, now: Timestamp, after position: Int?) throws -> Int? {
    var (position, left) = (position ?? -1, Retention.piece)
    while left > 0 {
      let next = try database.row("SELECT min(owner) FROM audit WHERE owner > ?", SQLValue(position)) {
        $0.optionalInt(0)
      }
      guard let next = next ?? nil else { return nil }
      let owner = uid_t(truncatingIfNeeded: next)
      let old = try oldAudit(of: owner, before: limit, now: now, atMost: left)
      if let last = old.last { try dropAudit(of: owner, upTo: last) } else { position = next }
      // The check of an owner counts as one removal, since it has a cost even if nothing is removed.
      left -= old.count + 1
    }
    return position
  }

  /// Returns the number of removable entries of an owner and the sequence number of the last one.
  private func oldAudit(
    of owner: uid_t,
    before limit: Timestamp,
    now: Timestamp,
    atMost most: Int
  ) throws -> (last: Int?, count: Int) {
    let old = try database.row(
      """
      SELECT max(sequence) AS last, count(*) AS count FROM (
        SELECT sequence FROM audit WHERE owner = ?1 AND sequence < coalesce(
          (SELECT sequence FROM audit WHERE owner = ?1 AND at BETWEEN ?2 AND ?3 ORDER BY sequence LIMIT 1), ?4)
        ORDER BY sequence LIMIT ?5)
      """,
      SQLValue(owner),
      SQLValue(limit.milliseconds),
      SQLValue(now.milliseconds),
      SQLValue(Int.max),
      SQLValue(most)
    ) { (last: $0.optionalInt("last"), count: $0.int("count")) }
    guard let old, old.last != nil, try openAuditChain(of: owner).state != .noKey else { return (nil, 0) }
    return old
  }

  /// Removes the oldest entries of an owner that is to be erased, one batch per loop iteration.
  ///
  /// Leaves the last batch, which is small enough for the transaction of the erasure.
  ///
  /// If the process ends meanwhile, the remaining entries can still be verified. Without the key nothing is
  /// removed.
  func shortenAudit(of owner: uid_t) async throws {
    while let last = try lastOfFirstPiece(of: owner), try openAuditChain(of: owner).state != .noKey {
      try dropAudit(of: owner, upTo: last)
      try await committed()
      await EventLoop.nextTurn()
    }
  }

  /// Returns the sequence number that ends the first batch of an owner's entries; nil if there are no entries
  /// after it.
  private func lastOfFirstPiece(of owner: uid_t) throws -> Int? {
    let ends = try database.rows(
      "SELECT sequence FROM audit WHERE owner = ? ORDER BY sequence LIMIT 2 OFFSET ?",
      SQLValue(owner),
      SQLValue(Retention.piece - 1)
    ) { $0.int(0) }
    return ends.count == 2 ? ends.first : nil
  }

  /// Removes all entries of an owner, but keeps the chain, so that later entries continue its count.
  func eraseAudit(of owner: uid_t) throws {
    try write { _ in
      // Adopts the entries recorded without the key, which are then removed with the rest.
      store(try continuedAuditChain(of: owner))
      guard let last = try auditLink(of: owner) else { return }
      try dropAudit(of: owner, upTo: last.sequence)
      var opened = try openAuditChain(of: owner)
      // Removes the hashes that were derived from the removed entries.
      (opened.chain.checkpoint, opened.chain.head) = (AuditChain.noLink, AuditChain.noLink)
      try seal(opened)
    }
  }

  private func dropAudit(of owner: uid_t, upTo sequence: Int) throws {
    try write { database in
      var opened = try continuedAuditChain(of: owner)
      if sequence > opened.chain.start {
        opened.chain.checkpoint = try auditLink(of: owner, upTo: sequence)?.link ?? AuditChain.noLink
        opened.chain.start = sequence
      }
      try database.run(
        "DELETE FROM audit WHERE owner = ? AND sequence <= ?",
        SQLValue(owner),
        SQLValue(sequence)
      )
      // If the new chain cannot be sealed, nothing is removed.
      try seal(opened)
    }
  }
}
