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

/// Makes sealed backups of the whole state while the daemon runs.
@EventLoop
public final class Backups {
  public nonisolated let directory: BackupDirectory
  let vault: Vault
  private let time: TimeSource
  let lane = BlockingWorkQueue()
  let work = SingleFlight<Work, Backup?>()

  enum Work: Hashable {
    case backup, erasure
  }

  /// Maximum number of backups; older ones are removed.
  public static let limit = 7

  public init(vault: Vault, time: TimeSource) {
    (self.vault, self.time) = (vault, time)
    directory = BackupDirectory(of: vault.directory)
  }

  /// Makes a backup of the committed state; concurrent callers get the same backup.
  public func create() async throws -> Backup {
    let made = try await work.run(.backup) { [self] in
      do { return try await make() } catch let error as SystemError { throw error.ofStorage }
    }
    guard let made else { throw CancellationError() }
    return made
  }

  /// Returns the path of the newest backup if the current key does not open it or it is truncated.
  ///
  /// Returns nil if there is no backup or the key is unavailable.
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
    // The new backup is excluded: if the clock was set back, it may sort as the oldest one.
    for old in directory.files().filter({ $0.path != file.path }).dropFirst(Self.limit - 1) { old.destroy() }
    Journal.info("a backup was made", ["bytes": bytes])
    return Backup(file: file.path, bytes: bytes, createdAt: now)
  }

  /// Copies the database with SQLite's backup API, some pages per loop iteration.
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
  /// Returns the keys that seal backups: the current key-encryption key and its recovery copy.
  fileprivate func backupKeys() throws -> BackupFile.Keys {
    BackupFile.Keys(current: try loadedKey().key, spare: try vault?.meta(.spare))
  }
}

// An erased owner is also erased from the backups. Each affected backup is written again with a new content
// key.

extension Backups {
  /// Resumes the pending work of a previous run.
  public func resume() {
    directory.removeRemains()
    // Until a new key is stored permanently, the backups need both keys.
    if vault.sealer.hasKey, (try? vault.meta(.successor)) == .some(nil),
      let key = try? vault.sealer.loadedKey().key
    {
      directory.dropKeys(otherThan: key)
    }
    erasePendingOwners()
  }

  /// Erases owners with a pending erasure from all backups, on a worker thread.
  ///
  /// Failed work is repeated at a later start.
  public func erasePendingOwners() {
    work.start(.erasure) { [self] in
      do { try await eraseAllOwed() } catch {
        Journal.warning("erased users remain in backups until a later start", ["reason": "\(error)"])
      }
      return nil
    }
  }

  private func eraseAllOwed() async throws {
    while case let owed = try vault.erasedOwners(), !owed.isEmpty {
      // A backup in progress may contain rows from before the erasure, so wait for it.
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
        // A backup that cannot be restored must not keep the owner's rows.
        Journal.error("a damaged backup was removed, because it may contain an erased user")
        file.destroy()
      }
    }
  }
}
