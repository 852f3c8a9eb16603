internal import ControlAPI
internal import Glibc
internal import JSONRPC
internal import Journal
internal import SQLite
internal import Time

/// A chain that is about to change, with whether it is as it was sealed.
struct OpenAuditChain {
  enum State {
    case sound
    /// Somebody without the key has changed it: entries go on, but no seal says any more that they are all.
    case broken
    /// The key cannot be had: what is recorded now is sealed when it can.
    case noKey
  }

  let owner: uid_t
  var chain: AuditChain
  var total: AuditTotal
  var state: State
}

extension Vault {
  func openAuditChain(of owner: uid_t) throws -> OpenAuditChain {
    if let unsealed = unsealedAuditChain, unsealed.owner == owner { return unsealed }
    var total = try auditTotal()
    let stored = try auditChain(of: owner)
    var state = OpenAuditChain.State.noKey
    do { state = try isSound(stored, of: owner, total) ? .sound : .broken } catch let error as RPCError
      where error.code == RPCError.keyUnavailable.code
    {}
    if total.seal.isEmpty {
      // For what lies here from before there was a key nobody vouches.
      total.start = try database.row("SELECT max(sequence) FROM audit") { $0.int(0) } ?? 0
    }
    return OpenAuditChain(
      owner: owner,
      chain: stored ?? AuditChain(start: total.start),
      total: total,
      state: state
    )
  }

  /// A chain that entries can go after: what was recorded without the key is taken into it.
  func continuedAuditChain(of owner: uid_t) throws -> OpenAuditChain {
    var opened = try openAuditChain(of: owner)
    try adoptTail(of: &opened)
    return opened
  }

  private func isSound(_ chain: AuditChain?, of owner: uid_t, _ total: AuditTotal) throws -> Bool {
    let seal = try sealer.seal(total)
    if total.seal.isEmpty { return try auditChainSum().chains == 0 }
    guard total.seal == seal else { return false }
    // A chain may begin only while none is missing.
    guard let chain else { return try auditChainSum().count == total.count }
    return try chain.seal == sealer.seal(chain, of: owner)
  }

  /// The link that the next entry goes after.
  func lastLink(of opened: OpenAuditChain) throws -> [UInt8] {
    guard let last = try auditLink(of: opened.owner), last.sequence > opened.chain.start else {
      return opened.chain.checkpoint
    }
    return last.link
  }

  /// Takes what was recorded while there was no key into what is sealed, and leaves an entry that says from which on;
  /// a chain whose end is gone is broken.
  private func adoptTail(of opened: inout OpenAuditChain) throws {
    // What this turn has recorded in it, it ends with.
    guard opened.state == .sound, opened.owner != unsealedAuditChain?.owner,
      try lastLink(of: opened) != opened.chain.head
    else { return }
    guard var position = try sequence(ofHeadOf: opened.chain, owner: opened.owner) else {
      opened.state = .broken
      return
    }
    var adopting = opened
    var (first, last): (AuditEntry?, AuditEntry?)
    while case let entries = try linkedEntries(of: opened.owner, after: position, limit: Self.auditSlice),
      let end = entries.last
    {
      for linked in entries {
        guard try linked.link == AuditChain.link(after: adopting.chain.head, linked.entry) else {
          opened.state = .broken
          return
        }
        adopting.advance(to: linked.link)
      }
      (first, last, position) = (first ?? entries.first?.entry, end.entry, end.sequence)
    }
    guard let first, let last else { return }
    opened = adopting
    let note = AuditEntry(
      id: try OpaqueID.make(),
      at: last.at,
      owner: opened.owner,
      method: AutomaticAction("sealAudit").name,
      target: first.id,
      outcome: AuditEntry.done
    )
    try append(note, to: &opened)
  }

  @discardableResult
  func append(_ entry: AuditEntry, to opened: inout OpenAuditChain) throws -> Int {
    // A chain that is sound ends with its last entry.
    let last = try opened.state == .sound ? opened.chain.head : lastLink(of: opened)
    let link = try AuditChain.link(after: last, entry)
    if opened.state == .sound { opened.advance(to: link) }
    return try database.row(
      """
      INSERT INTO audit (id, owner, at, method, target, outcome, link) VALUES (?, ?, ?, ?, ?, ?, ?)
        RETURNING sequence
      """,
      .text(entry.id),
      SQLValue(entry.owner),
      SQLValue(entry.at.milliseconds),
      .text(entry.method),
      SQLValue(entry.target),
      .text(entry.outcome),
      .blob(link)
    ) { $0.int(0) } ?? 0
  }

  /// Has a chain stored as it is now, within a write, unless somebody else has changed it.
  ///
  /// It is sealed once for all that a turn records in it.
  func store(_ opened: OpenAuditChain) {
    if opened.state == .sound { unsealedAuditChain = opened }
  }

  /// Seals and stores what this turn has changed, before anything is read of it.
  ///
  /// Where the key is gone by now, what was recorded lies after the chain until an entry takes it in.
  func sealAudit() throws {
    guard let opened = unsealedAuditChain else { return }
    do { try seal(opened) } catch let error as RPCError where error.code == RPCError.keyUnavailable.code {}
  }

  /// The same of one chain, which takes the place of what this turn has not sealed of it.
  func seal(_ opened: OpenAuditChain) throws {
    unsealedAuditChain = nil
    guard opened.state == .sound else { return }
    var (chain, total) = (opened.chain, opened.total)
    chain.seal = try sealer.seal(chain, of: opened.owner)
    total.seal = try sealer.seal(total)
    try write { _ in
      try setAuditChain(chain, of: opened.owner)
      try setAuditTotal(total)
    }
  }

  /// The same before a turn is committed, which it does not hinder.
  func sealAuditAfterTurn() {
    do { try sealAudit() } catch {
      Journal.error("what was recorded in the audit could not be sealed", ["reason": "\(error)"])
    }
  }

  /// Where the last entry that was sealed stands; `nil` if it is gone.
  func sequence(ofHeadOf chain: AuditChain, owner: uid_t) throws -> Int? {
    if chain.head == chain.checkpoint { return chain.start }
    return try database.row(
      "SELECT sequence FROM audit WHERE owner = ? AND sequence > ? AND link = ?",
      SQLValue(owner),
      SQLValue(chain.start),
      .blob(chain.head)
    ) { $0.int(0) }
  }

  /// How many entries are looked at in one go.
  nonisolated static let auditSlice = 512
}

extension OpenAuditChain {
  mutating func advance(to link: [UInt8]) {
    chain.head = link
    chain.count += 1
    total.count += 1
  }
}

extension Sealer {
  func seal(_ chain: AuditChain, of owner: uid_t) throws -> [UInt8] {
    try digest("audit.chain", ["\(owner)"] + chain.sealed)
  }

  func seal(_ total: AuditTotal) throws -> [UInt8] { try digest("audit.total", total.sealed) }
}
