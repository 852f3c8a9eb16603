internal import ControlAPI
internal import EventLoop
public import Glibc
internal import SQLite
internal import Time

// What is kept of the audit. The chain of what is left begins where what is gone ended.

extension Vault {
  /// The most entries of an owner, about 15 MiB; older ones go.
  public nonisolated static let auditLimit = 65_536

  /// Removes the oldest entries of an owner that are more than may be kept.
  public func trimAudit(of owner: uid_t, to limit: Int = auditLimit) throws {
    let last = try database.row(
      "SELECT sequence FROM audit WHERE owner = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?",
      SQLValue(owner),
      SQLValue(limit)
    ) { $0.int(0) }
    if let last { try dropAudit(of: owner, upTo: last) }
  }

  /// Removes what is older than a limit, from the oldest on until one comes that is not, of some owners after another.
  ///
  /// Returns after whom to go on, if there may be more. An entry that a wrong clock dated after now does not keep those
  /// after it. Without the key nothing goes, since nobody could tell afterwards what went.
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
      // To look costs something too.
      left -= old.count + 1
    }
    return position
  }

  /// How many entries of an owner may go, and the last of them.
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

  /// Removes the oldest entries of an owner who is to be erased, a piece a turn, until the last of them can go with all
  /// the rest without anybody waiting for it.
  ///
  /// What is left verifies from there, should it end here. Without the key nobody could tell.
  func shortenAudit(of owner: uid_t) async throws {
    while let last = try lastOfFirstPiece(of: owner), try openAuditChain(of: owner).state != .noKey {
      try dropAudit(of: owner, upTo: last)
      try await committed()
      await EventLoop.nextTurn()
    }
  }

  /// The last of a piece of an owner's oldest entries, if there are more.
  private func lastOfFirstPiece(of owner: uid_t) throws -> Int? {
    let ends = try database.rows(
      "SELECT sequence FROM audit WHERE owner = ? ORDER BY sequence LIMIT 2 OFFSET ?",
      SQLValue(owner),
      SQLValue(Retention.piece - 1)
    ) { $0.int(0) }
    return ends.count == 2 ? ends.first : nil
  }

  /// Removes all entries of an owner; what comes after them is counted on.
  func eraseAudit(of owner: uid_t) throws {
    try write { _ in
      // What was recorded without the key is taken into the chain first, and goes with the rest.
      store(try continuedAuditChain(of: owner))
      guard let last = try auditLink(of: owner) else { return }
      try dropAudit(of: owner, upTo: last.sequence)
      var opened = try openAuditChain(of: owner)
      // Nothing is left that was made of what is gone.
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
      // Nothing goes unless the chain that begins after it is sealed.
      try seal(opened)
    }
  }
}
