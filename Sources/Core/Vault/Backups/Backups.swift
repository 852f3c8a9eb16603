package import ControlAPI
package import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import OpenSSL
internal import SQLite
internal import SystemCalls
package import Time

/// Copies of the whole state, made while it is used and sealed each as a whole.
@EventLoop
package final class Backups {
  package nonisolated let directory: BackupDirectory
  let vault: Vault
  private let time: TimeSource
  let lane = DerivationLane()
  let work = SingleFlight<Work, Backup?>()

  enum Work: Hashable {
    case backup, erasure
  }

  /// How many are kept; older ones go.
  package static let limit = 7

  package init(vault: Vault, time: TimeSource) {
    (self.vault, self.time) = (vault, time)
    directory = BackupDirectory(of: vault.directory)
  }

  /// Makes a backup of what is on the disk; who asks while one is made gets that one.
  package func create() async throws -> Backup {
    let made = try await work.run(.backup) { [self] in
      do { return try await make() } catch let error as SystemError { throw error.ofStorage }
    }
    guard let made else { throw CancellationError() }
    return made
  }

  /// The newest backup where it would not open; nothing where the key cannot be had by which to tell.
  package func newestThatFails() -> String? {
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
  func backupKeys() throws -> BackupFile.Keys {
    BackupFile.Keys(current: try loadedKey().key, spare: try vault?.meta(.spare))
  }
}
