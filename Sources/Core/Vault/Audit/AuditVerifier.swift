public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC

/// Looks whether entries are those that were recorded; a slice a turn, so that nobody else waits for it.
@EventLoop
public final class AuditVerifier {
  private let vault: Vault
  private let flights = SingleFlight<uid_t, AuditVerification>()

  public init(vault: Vault) { self.vault = vault }

  /// The entries of one owner, or of everybody; whoever asks while it is looked hears the same.
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
    // What an older copy of the state lacks, no chain in it misses.
    if let gap = try vault.auditGap() { (all.isSound, all.brokenAt) = (false, all.brokenAt ?? gap) }
    return all
  }

  /// How many entries were ever sealed, whoever's they are: a number that only grows and that nobody can raise without
  /// the key, by which a file is told from an older copy of itself.
  ///
  /// `nil` if somebody has changed it.
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
        // What was looked at has gone in the meantime.
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
