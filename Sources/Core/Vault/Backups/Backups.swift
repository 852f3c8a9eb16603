public import ControlAPI
public import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import OpenSSL
internal import SQLite
internal import SystemCalls
public import Time

/// Copies of the whole state, made while it is used and sealed each as a whole.
@EventLoop
public final class Backups {
  public nonisolated let directory: BackupDirectory
  let vault: Vault
  private let time: TimeSource
  let lane = DerivationLane()
  let work = SingleFlight<Work, Backup?>()

  enum Work: Hashable {
    case backup, erasure
  }

  /// How many are kept; older ones go.
  public static let limit = 7

  public init(vault: Vault, time: TimeSource) {
    (self.vault, self.time) = (vault, time)
    directory = BackupDirectory(of: vault.directory)
  }

  /// Makes a backup of what is on the disk; who asks while one is made gets that one.
  public func create() async throws -> Backup {
    let made = try await work.run(.backup) { [self] in
      do { return try await make() } catch let error as SystemError { throw error.ofStorage }
    }
    guard let made else { throw CancellationError() }
    return made
  }

  /// The newest backup where it would not open; nothing where the key cannot be had by which to tell.
  public func newestThatFails() -> String? {
    guard let newest = directory.newest, let key = try? vault.sealer.loadedKey().key else { return nil }
    return (try? OpenBackup(newest))?.opens(by: key) == true ? nil : newest
  }

  private func make() async throws -> Backup {
    let keys = try vault.sealer.backupKeys()
    directory.make()
    let copy = directory.copyToSeal
    unlink(copy)
    defer { unlink(copy) }
    try await copyDatabase(to: copy)
    let now = time.now()
    let file = directory.file(madeAt: now)
    let bytes = try await lane.run(for: 0) {
      try file.write(copy, createdAt: now.milliseconds, innerKey: keys.current, keys: keys)
    }
    // By a clock that was set back this one may look older than others.
    for old in directory.files().filter({ $0.path != file.path }).dropFirst(Self.limit - 1) { old.destroy() }
    Journal.info("a backup was made", ["bytes": bytes])
    return Backup(file: file.path, bytes: bytes, createdAt: now)
  }

  /// Beside the database's own connection, which is asked for some pages a turn.
  private func copyDatabase(to path: String) async throws {
    let copy = try DatabaseCopy(of: vault.database, to: path)
    while true {
      try await vault.committed()
      if try copy.step() { return }
      try await EventLoop.sleep(for: .zero)
    }
  }
}

extension Sealer {
  /// What seals backups: the key that opens what is sealed in them too.
  fileprivate func backupKeys() throws -> BackupFile.Keys {
    BackupFile.Keys(current: try loadedKey().key, spare: try vault?.meta(.spare))
  }
}

// Whoever is erased is erased from the backups too, each of which is written anew under another key.

extension Backups {
  /// Goes on with what an earlier life owed.
  public func resume() {
    directory.removeRemains()
    // While a new key is not kept yet, both are needed.
    if vault.sealer.hasKey, (try? vault.meta(.successor)) == .some(nil),
      let key = try? vault.sealer.loadedKey().key
    {
      directory.dropKeys(otherThan: key)
    }
    eraseOwed()
  }

  /// Takes who was erased out of all backups, beside the loop; what cannot be done now is done at a later start.
  public func eraseOwed() {
    work.start(.erasure) { [self] in
      do { try await eraseAllOwed() } catch {
        Journal.warning("who was erased is taken out of backups at a later start", ["reason": "\(error)"])
      }
      return nil
    }
  }

  private func eraseAllOwed() async throws {
    while case let owed = try vault.erasedOwners(), !owed.isEmpty {
      // One that is being made may have been copied before.
      await work.finished(.backup)
      let database = vault.path
      try await lane.run(for: 1) { DamagedState.destroy(besides: database) }
      for file in directory.files() { try await erase(owed, from: file) }
      try vault.forget(owed)
      try await vault.committed()
    }
  }

  private func erase(_ owed: [ErasedOwner], from file: BackupFile) async throws {
    guard let createdAt = file.header?.createdAt else { return }
    let keys = try vault.sealer.backupKeys()
    let copy = directory.copyToErase
    try await lane.run(for: 1) {
      defer { for ending in ["", "-wal", "-shm"] { unlink(copy + ending) } }
      do {
        let innerKey = try file.read(into: copy, openedBy: [keys.current])
        guard try ErasedOwner.remove(owed, from: copy) else { return }
        _ = try file.write(copy, createdAt: createdAt, innerKey: innerKey, keys: keys)
      } catch BackupError.damaged {
        // What nobody can put back keeps nobody's rows.
        Journal.error("a damaged backup was removed, since somebody is to be erased from it")
        file.destroy()
      }
    }
  }
}
