public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC

/// Verifies that entries are unchanged, one batch per loop iteration, so that other requests are not delayed.
@EventLoop
public final class AuditVerifier {
  private let vault: Vault
  private let flights = SingleFlight<uid_t, AuditVerification>()

  public init(vault: Vault) { self.vault = vault }

  /// Verifies the entries of one owner, or of all if `owner` is nil.
  ///
  /// Concurrent callers share one verification per owner.
  public func verify(_ owner: uid_t?) async throws -> AuditVerification {
    if let owner {
      return try await flights.run(owner) { [self] in try await chain(of: owner) }
    }
    var all = AuditVerification(entries: 0, isSound: true)
    for owner in try vault.auditedOwners() {
      let one = try await verify(owner)
      all.entries += one.entries
      all.brokenAt = all.brokenAt ?? one.brokenAt
      all.isSound = all.isSound && one.isSound
    }
    let total = try vault.auditTotal()
    if try vault.auditChainSum().count != total.count { all.isSound = false }
    if try total.count < vault.sealedAuditHead() { all.isSound = false }
    // The chains of a rolled-back state do not show that later entries are missing. Therefore the entry that
    // reports the rollback counts as a break.
    if let gap = try vault.auditGap() { (all.isSound, all.brokenAt) = (false, all.brokenAt ?? gap) }
    return all
  }

  /// Returns the number of entries ever sealed, of all owners.
  ///
  /// The number only grows and cannot be raised without the key. A lower number than before thus reveals an
  /// older copy of the file.
  ///
  /// Returns nil if the total was changed without the key.
  public func head() throws -> Int? {
    let total = try vault.auditTotal()
    let seal = try vault.sealer.seal(total)
    return total.seal == seal || (total.seal.isEmpty && total.count == 0) ? total.count : nil
  }

  private func chain(of owner: uid_t) async throws -> AuditVerification {
    while true {
      let begin = try vault.openAuditChain(of: owner).chain
      var (position, link) = (begin.start, begin.checkpoint)
      var result = AuditVerification(entries: 0, isSound: true)
      while true {
        let opened = try vault.openAuditChain(of: owner)
        guard opened.state != .noKey else { throw vault.sealer.fault ?? RPCError.keyUnavailable }
        // The checked entries were removed meanwhile; start again.
        guard opened.chain.start == begin.start else { break }
        let entries = try vault.linkedEntries(of: owner, after: position, limit: Vault.auditSlice)
        guard let last = entries.last else {
          result.isSound =
            try opened.state == .sound && vault.sequence(ofHeadOf: opened.chain, owner: owner) != nil
          return result
        }
        for linked in entries {
          link = try AuditChain.link(after: link, linked.entry)
          result.entries += 1
          guard linked.link == link else {
            (result.isSound, result.brokenAt) = (false, linked.entry.id)
            return result
          }
        }
        position = last.sequence
        await EventLoop.nextTurn()
      }
    }
  }
}
