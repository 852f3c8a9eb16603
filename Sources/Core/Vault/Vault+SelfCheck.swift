internal import EventLoop
internal import OpenSSL
internal import SQLite

extension Vault {
  /// Reads, writes and opens something known; what is written is undone and reaches no disk.
  package func checkItself() throws {
    let database = try database
    // A turn that has changed something holds the lock for writing already.
    let isOwnTransaction = !database.isInTransaction
    if isOwnTransaction { try database.begin() }
    defer { if isOwnTransaction { database.rollBack() } }
    if isOwnTransaction { try database.run("INSERT OR REPLACE INTO meta VALUES ('self_check', x'01')") }
    _ = try database.row("SELECT count(*) FROM meta") { $0.int(0) }
    try sealer.checkItself()
  }

  /// Brings something onto the disk that leaves nothing behind; only so it is known whether that can be.
  package func tryWriting() async throws {
    // That it cannot is an answer to whoever asks, and no failure of theirs.
    try await Changes.$current.withValue(nil) {
      try write { database in
        try database.run("INSERT OR REPLACE INTO meta VALUES ('self_check', x'01')")
        try database.run("DELETE FROM meta WHERE name = 'self_check'")
      }
      try await committed()
    }
  }
}
