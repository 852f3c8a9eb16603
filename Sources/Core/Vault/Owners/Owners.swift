public import EventLoop
public import Glibc
public import Time

/// The users of the machine who have something here, and the erasure of all that one of them has.
@EventLoop
public final class Owners {
  private let vault: Vault
  private let time: TimeSource
  private let compaction: Compaction
  /// Who was erased while the log may still hold their keys, with the number of their last erasure.
  private var unfinished: [uid_t: Int] = [:]
  private var erasureCount = 0
  private var observers: [@EventLoop (uid_t) -> Void] = []

  public init(
    vault: Vault,
    time: TimeSource,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) { (self.vault, self.time, compaction) = (vault, time, Compaction(vault, after: after)) }

  /// Does what an earlier life left to be done: empties the log, which may hold what was erased, and gives back the room
  /// of that.
  ///
  /// What cannot be done now is tried again by itself.
  public func resume() {
    compaction.start()
    vault.log.now()
  }

  /// Everybody who has something here, with when they began, by their uids.
  public func all() throws -> [(uid: uid_t, createdAt: Timestamp)] { try vault.owners() }

  /// Makes an owner of a user who is none yet.
  public func enter(_ owner: uid_t) throws { try vault.insertOwner(owner, at: time.now()) }

  /// Stores whether purging the package keeps an owner's state.
  public func setKeepsOnReinstall(_ keeps: Bool, owner: uid_t) throws {
    try vault.write { _ in
      try enter(owner)
      try vault.setKeepsOnReinstall(keeps, of: owner)
    }
  }

  /// Calls a handler for each owner that is erased, before the components forget them.
  public func whenErased(_ handler: @escaping @EventLoop (uid_t) -> Void) { observers.append(handler) }

  /// Erases everything of an owner, with the key without which no copy of it can be read, and ends what is under way.
  ///
  /// The other sides hear nothing of it. What waits for them finds no owner any more and changes nothing. A failure
  /// after the rows are gone is told too, since the log may still hold the key; the same again empties it. One before
  /// leaves everything, but for the oldest entries of a long audit. Where there is nothing to erase, nothing is done.
  public func erase(_ owner: uid_t) async throws {
    try await vault.shortenAudit(of: owner)
    if try !vault.hasNothing(of: owner) { try eraseRows(of: owner) }
    // Whoever asks again meanwhile waits for the same.
    guard let number = unfinished[owner] else { return }
    try await vault.log.finished()
    if unfinished[owner] == number { unfinished[owner] = nil }
    compaction.start()
  }

  private func eraseRows(of owner: uid_t) throws {
    try vault.write { _ in
      try vault.sealer.destroyKey(of: owner)
      try vault.noteErasure(of: owner, at: time.now())
      try vault.eraseRows(of: owner)
    }
    // Work that is ended here would not begin again if the owner were not gone after all.
    try vault.commit()
    for end in observers { end(owner) }
    for component in vault.components.all { component.forget(owner) }
    erasureCount += 1
    unfinished[owner] = erasureCount
  }
}

/// Something of an owner's that work is under way for; the work ends when the owner is erased, so it says whose it is.
public struct OwnedKey: Hashable, Sendable {
  public let owner: uid_t
  public let id: String

  public init(_ id: String, of owner: uid_t) { (self.id, self.owner) = (id, owner) }
}

extension Dictionary where Key == OwnedKey {
  /// Removes all that is an owner's.
  public mutating func removeAll(of owner: uid_t) { self = filter { $0.key.owner != owner } }
}

extension SingleFlight where Key == OwnedKey {
  /// Cancels all that is under way for an owner.
  public func cancelAll(of owner: uid_t) {
    for key in keys where key.owner == owner { cancel(key) }
  }
}
