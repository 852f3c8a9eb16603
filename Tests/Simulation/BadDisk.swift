internal import CSQLite
internal import CSimulation
internal import EventLoop
internal import SQLite

/// Faults of a disk.
struct BadDisk {
  /// Percentage of commits that fail.
  var percent = 0
  /// True if the file cannot grow.
  var isFull = false
}

/// Injects disk faults below a database.
@EventLoop
final class DiskFault {
  private let chance: UnsafeMutablePointer<failing_commits>
  private let database: Database

  init(_ database: Database, seed: UInt64) {
    self.database = database
    chance = .allocate(capacity: 1)
    chance.initialize(to: failing_commits(state: seed, percent: 0))
    sqlite3_commit_hook(database.handle, commit_fails, chance)
  }

  func set(_ disk: BadDisk) throws {
    chance.pointee.percent = UInt32(disk.percent)
    // A larger file keeps its size.
    if disk.isFull {
      try database.executeScript("PRAGMA max_page_count = 1")
    } else {
      try database.executeScript("PRAGMA max_page_count = 4294967294")
    }
  }
}
