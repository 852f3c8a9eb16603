public import EventLoop
internal import Glibc
internal import Journal
internal import OpenSSL
internal import SQLite

/// Checks the whole database file on a worker thread, so that damage is found before the damaged data is
/// needed.
///
/// Requests need not wait for the check, since SQLite verifies the checksum of each page that it reads.
@EventLoop
public final class FileCheck {
  private let path: String
  private let lane = BlockingWorkQueue()
  private let flight = SingleFlight<String, Int>()
  /// True while a check is running.
  public private(set) var isUnderWay = false

  nonisolated init(path: String) { self.path = path }

  /// Returns the number of damaged pages; concurrent callers share one check.
  public func countDamagedPages() async throws -> Int {
    // A file that does not exist yet is not damaged.
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
  /// Tests that the files are at their place, reading, writing if no transaction is open, and decryption if
  /// the key is loaded.
  ///
  /// The written row is rolled back and never reaches the disk.
  public func checkItself() throws {
    let database = try database
    try checkFiles()
    // A loop iteration with changes already holds the write lock.
    let isOwnTransaction = !database.isInTransaction
    if isOwnTransaction { try database.begin() }
    defer { if isOwnTransaction { database.rollBack() } }
    if isOwnTransaction { try database.run("INSERT OR REPLACE INTO meta VALUES ('self_check', x'01')") }
    _ = try database.row("SELECT count(*) FROM meta") { $0.int(0) }
    try sealer.checkItself()
  }

  /// Commits a change without a lasting effect, to test whether the disk accepts writes.
  public func tryWriting() async throws {
    // The caller receives a failure as the test's result; the failure must not fail the call itself.
    try await Changes.$current.withValue(nil) {
      try write { database in
        try database.run("INSERT OR REPLACE INTO meta VALUES ('self_check', x'01')")
        try database.run("DELETE FROM meta WHERE name = 'self_check'")
      }
      try await committed()
    }
  }
}
