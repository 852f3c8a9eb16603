public import EventLoop
internal import Glibc
internal import Journal
internal import OpenSSL
internal import SQLite

/// Reads the whole file, beside the loop, so that damage is known before somebody needs what is damaged.
///
/// What is asked for meanwhile is right all the same: a damaged page is found whenever it is read.
@EventLoop
public final class FileCheck {
  private let path: String
  private let lane = DerivationLane()
  private let flight = SingleFlight<String, Int>()
  /// Whether it is under way.
  public private(set) var isUnderWay = false

  nonisolated init(path: String) { self.path = path }

  /// How many pages are not as they were written; who asks while they are read gets what is found then.
  public func countDamagedPages() async throws -> Int {
    // What nobody has made yet is not damaged.
    guard access(path, F_OK) == 0 else { return 0 }
    return try await flight.run(path) { [self] in
      isUnderWay = true
      defer { isUnderWay = false }
      return try await lane.run(for: 0) { [path] in
        guard let count = Database.countDamagedPages(path: path) else { throw SQLiteError(.failed) }
        return count
      }
    }
  }
}

extension Vault {
  /// Reads, writes and opens something known; what is written is undone and reaches no disk.
  public func checkItself() throws {
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
  public func tryWriting() async throws {
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
