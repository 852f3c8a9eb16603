internal import EventLoop
internal import Glibc
internal import Journal
internal import OpenSSL

// Whoever is erased is erased from the backups too, each of which is written anew under another key.

extension Backups {
  /// Goes on with what an earlier life owed.
  package func resume() {
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
  package func eraseOwed() {
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
