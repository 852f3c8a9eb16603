public import EventLoop
public import Glibc
public import Time

/// The users of this machine that have data in the state, and the erasure of an owner's data.
@EventLoop
public final class Owners {
  private let vault: Vault
  private let time: TimeSource
  private let compaction: Compaction
  /// Erased owners with keys that the WAL may still contain; the value is the number of the last erasure.
  private var unfinished: [uid_t: Int] = [:]
  private var erasureCount = 0
  private var observers: [@EventLoop (uid_t) -> Void] = []

  public init(
    vault: Vault,
    time: TimeSource,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) { (self.vault, self.time, compaction) = (vault, time, Compaction(vault, after: after)) }

  /// Resumes the pending work of a previous run: truncates the WAL, which may contain erased data, and
  /// releases free space.
  ///
  /// A failed attempt is repeated automatically.
  public func resume() {
    compaction.start()
    vault.log.now()
  }

  /// Returns all owners with their creation times, by uid.
  public func all() throws -> [(uid: uid_t, createdAt: Timestamp)] { try vault.owners() }

  /// Makes a user an owner, unless the user already is one.
  public func enter(_ owner: uid_t) throws { try vault.insertOwner(owner, at: time.now()) }

  /// Stores whether purging the package keeps an owner's state.
  public func setKeepsOnReinstall(_ keeps: Bool, owner: uid_t) throws {
    try vault.write { _ in
      try enter(owner)
      try vault.setKeepsOnReinstall(keeps, of: owner)
    }
  }

  /// Registers a handler that runs for each erased owner, before the components forget the owner.
  public func whenErased(_ handler: @escaping @EventLoop (uid_t) -> Void) { observers.append(handler) }

  /// Erases all data of an owner and overwrites the owner's keys, so that old copies of rows cannot be read.
  ///
  /// Cancels work in progress.
  ///
  /// Servers are not notified. Work that waits for a server finds no owner afterwards and changes nothing. If
  /// a step after the deletion of the rows fails, an error is thrown, since the WAL may still contain the
  /// key. Another call then truncates the WAL. If an earlier step fails, all data stays, except the oldest
  /// entries of a long audit.
  public func erase(_ owner: uid_t) async throws {
    try await vault.shortenAudit(of: owner)
    if try !vault.hasNothing(of: owner) { try eraseRows(of: owner) }
    // Concurrent callers wait for the same truncation.
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
    // Commit first: cancelled work would not restart if the erasure were rolled back.
    try vault.commit()
    for end in observers { end(owner) }
    for component in vault.components.all { component.forget(owner) }
    erasureCount += 1
    unfinished[owner] = erasureCount
  }
}

/// Identifies work for an owner's object; it contains the owner, so that erasing the owner cancels the work.
public struct OwnedKey: Hashable, Sendable {
  public let owner: uid_t
  public let id: String

  public init(_ id: String, of owner: uid_t) { (self.id, self.owner) = (id, owner) }
}

extension Dictionary where Key == OwnedKey {
  /// Removes all values of an owner.
  public mutating func removeAll(of owner: uid_t) { self = filter { $0.key.owner != owner } }
}

extension SingleFlight where Key == OwnedKey {
  /// Cancels all tasks of an owner.
  public func cancelAll(of owner: uid_t) {
    for key in keys where key.owner == owner { cancel(key) }
  }
}
