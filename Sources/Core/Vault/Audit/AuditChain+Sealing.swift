internal import ControlAPI
internal import Glibc
internal import JSONRPC
internal import Journal
internal import SQLite
internal import Time

/// A chain that is about to change, with the result of the check of its seal.
struct OpenAuditChain {
  enum State {
    case sound
    /// Someone without the key has changed the chain. Entries are still added, but never sealed.
    case broken
    /// The key is unavailable. New entries are sealed once it is available.
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
      // Nothing has protected the entries before the first seal, so the chain starts after them.
      total.start = try database.row("SELECT max(sequence) FROM audit") { $0.int(0) } ?? 0
    }
    return OpenAuditChain(
      owner: owner,
      chain: stored ?? AuditChain(start: total.start),
      total: total,
      state: state
    )
  }

  /// Returns a chain to which entries can be added, after adopting the entries that were recorded without the
  /// key.
  func continuedAuditChain(of owner: uid_t) throws -> OpenAuditChain {
    var opened = try openAuditChain(of: owner)
    try adoptTail(of: &opened)
    return opened
  }

  private func isSound(_ chain: AuditChain?, of owner: uid_t, _ total: AuditTotal) throws -> Bool {
    let seal = try sealer.seal(total)
    // Someone emptied the audit, or replaced it by an older copy.
    guard try total.count >= sealedAuditHead() else { return false }
    if total.seal.isEmpty { return try auditChainSum().chains == 0 }
    guard total.seal == seal else { return false }
    // A missing chain is valid only if the other chains account for the whole total.
    guard let chain else { return try auditChainSum().count == total.count }
    return try chain.seal == sealer.seal(chain, of: owner)
  }

  /// Returns the link that precedes the next entry.
  func lastLink(of opened: OpenAuditChain) throws -> [UInt8] {
    guard let last = try auditLink(of: opened.owner), last.sequence > opened.chain.start else {
      return opened.chain.checkpoint
    }
    return last.link
  }

  /// Adds to the chain the entries that were recorded while the key was unavailable, then an entry that names
  /// the first of them.
  ///
  /// Marks the chain as broken if its last sealed entry is missing or an added entry does not fit.
  private func adoptTail(of opened: inout OpenAuditChain) throws {
    // If this loop iteration has changed the chain before, no entry is left to adopt.
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
    // The head of a sound chain is the link of its last entry.
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

  /// Keeps a sound chain to be sealed and stored with the current transaction.
  ///
  /// Does nothing for a broken chain.
  ///
  /// All entries of one loop iteration share one seal.
  func store(_ opened: OpenAuditChain) {
    if opened.state == .sound { unsealedAuditChain = opened }
  }

  /// Seals and stores the changes of this loop iteration to the audit, before the audit is read.
  ///
  /// If the key is unavailable, the entries stay unsealed. The first entry that is written with the key adds
  /// them to the chain.
  func sealAudit() throws {
    guard let opened = unsealedAuditChain else { return }
    do { try seal(opened) } catch let error as RPCError where error.code == RPCError.keyUnavailable.code {}
  }

  /// Seals and stores one chain, replacing the unsealed chain of this loop iteration.
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

  /// Seals the audit before a commit; a failure does not prevent the commit.
  func sealAuditAfterTurn() {
    do { try sealAudit() } catch {
      Journal.error("audit entries could not be sealed", ["reason": "\(error)"])
    }
  }

  /// Returns the sequence number of the last sealed entry; nil if the entry is gone.
  func sequence(ofHeadOf chain: AuditChain, owner: uid_t) throws -> Int? {
    if chain.head == chain.checkpoint { return chain.start }
    return try database.row(
      "SELECT sequence FROM audit WHERE owner = ? AND sequence > ? AND link = ?",
      SQLValue(owner),
      SQLValue(chain.start),
      .blob(chain.head)
    ) { $0.int(0) }
  }

  /// Number of entries that are checked in one batch.
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
