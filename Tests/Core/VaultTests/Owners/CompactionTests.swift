import ControlAPI
import EventLoop
import Glibc
import SQLite
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("Compaction after erasure", .timeLimit(.minutes(30)))
struct CompactionTests {
  private static let other: uid_t = 7
  /// Maximum number of pages that one step releases.
  private static let step = 64
  private static let pause = Duration.milliseconds(50)

  /// Returns a bench with two paired owners, one of which fills `pages` pages.
  @EventLoop
  private static func filled(_ pages: Int = 1000) async throws -> Bench {
    let bench = try Bench(inMemory: true)
    for owner in [Bench.owner, other] { try await bench.pair(owner) }
    try bench.vault.fill(pages, of: Bench.owner)
    try bench.vault.emptyLog()
    return bench
  }

  @Test("after a large erasure the file shrinks in steps while others are served")
  func steps() async throws {
    try await TestLoop.run {
      let bench = try await Self.filled()
      let size = bench.vault.databaseSize
      try await bench.owners.erase(Bench.owner)
      var before = try bench.vault.database.pageCounts()
      #expect(before.free > 900)
      var count = 0
      while bench.timers.delays.contains(Self.pause) {
        #expect(try bench.passcode(owner: Self.other).current.passcode.count == 6)
        await bench.pass(Self.pause)
        let now = try bench.vault.database.pageCounts()
        // The file shrinks by one page more if a pointer-map page is released too.
        #expect(before.free - now.free <= Self.step && before.all - now.all <= Self.step + 1)
        // One loop iteration per step, so that no transaction stays open while others are served.
        #expect(try !bench.vault.database.isInTransaction)
        (before, count) = (now, count + 1)
      }
      #expect(count > 900 / Self.step && before.free <= before.all / 4)
      for _ in 0..<5000 where bench.vault.databaseSize > size / 4 {
        try await EventLoop.sleep(for: .milliseconds(1))
      }
      #expect(bench.vault.databaseSize <= size / 4)
      #expect(try bench.passcode(owner: Self.other).current.passcode.count == 6)
    }
  }

  @Test("compaction interrupted by a crash continues after the restart")
  func crashes() async throws {
    try await TestLoop.run {
      for steps in [0, 1, 5] {
        let bench = try await Self.filled(600)
        try await bench.owners.erase(Bench.owner)
        for _ in 0..<steps { await bench.pass(Self.pause) }
        let left = try bench.vault.database.pageCounts().free
        #expect(left > 100)
        try bench.crash()
        #expect(try bench.vault.database.pageCounts().free == left)
        bench.owners.resume()
        while bench.timers.delays.contains(Self.pause) { await bench.pass(Self.pause) }
        let pages = try bench.vault.database.pageCounts()
        #expect(pages.free <= pages.all / 4, "\(steps)")
        #expect(try bench.passcode(owner: Self.other).current.passcode.count == 6)
      }
    }
  }

  @Test("compaction writes nothing if few pages are free")
  func nothing() async throws {
    try await TestLoop.run {
      let bench = try await Self.filled()
      try bench.vault.fill(200, of: Self.other)
      try bench.vault.write {
        try $0.run("DELETE FROM account WHERE owner = ? AND state = 'revoked'", SQLValue(Self.other))
      }
      try bench.vault.emptyLog()
      let free = try bench.vault.database.pageCounts().free
      #expect(free > 150)
      let timers = TestTimers(bench.clock)
      let compaction = Compaction(bench.vault) { timers.add($0, $1) }
      for _ in 0..<3 {
        for _ in 0..<3 { compaction.start() }
        #expect(timers.delays == [Self.pause], "one at a time")
        bench.clock.pass(Self.pause)
        timers.fire()
        await TestLoop.settle()
        #expect(timers.delays.isEmpty && !bench.vault.hasUncommittedChanges)
        #expect(try bench.logSize() == 0 && bench.vault.database.pageCounts().free == free)
      }
    }
  }

  @Test("compaction stops after one attempt on a file without auto_vacuum")
  func oldFile() async throws {
    try await TestLoop.run {
      let bench = try await Self.filled()
      try bench.vault.database.executeScript("PRAGMA auto_vacuum = NONE")
      try bench.vault.database.executeScript("VACUUM")
      try await bench.owners.erase(Bench.owner)
      let before = try bench.vault.database.pageCounts()
      #expect(before.free > 900 && bench.timers.delays.contains(Self.pause))
      await bench.pass(Self.pause)
      #expect(!bench.timers.delays.contains(Self.pause))
      #expect(try bench.vault.database.pageCounts().all == before.all)
    }
  }

  @Test("compaction stops if it cannot write and starts again with the next erasure")
  func refused() async throws {
    try await TestLoop.run {
      let bench = try await Self.filled()
      try await bench.owners.erase(Bench.owner)
      let before = try bench.vault.database.pageCounts()
      let writer = try Database(path: bench.statePath + "/mfad.db")
      try writer.begin()
      await bench.pass(Self.pause)
      writer.rollBack()
      #expect(!bench.timers.delays.contains(Self.pause))
      #expect(try bench.vault.database.pageCounts() == before)
      try await bench.owners.erase(Self.other)
      while bench.timers.delays.contains(Self.pause) { await bench.pass(Self.pause) }
      #expect(try bench.vault.database.pageCounts().free < before.free / 4)
    }
  }
}

extension Vault {
  /// Inserts rows of an owner that fill `pages` pages.
  fileprivate func fill(_ pages: Int, of owner: uid_t) throws {
    try write {
      try $0.run(
        """
        WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < ?1)
        INSERT INTO account (id, owner, kind, state, digest, data_key, label, created_at)
          SELECT 'filling ' || ?2 || ' ' || i, ?2, 'pingone', 'revoked', x'', x'', randomblob(3500), 0 FROM number
        """,
        SQLValue(pages),
        SQLValue(owner)
      )
    }
    try commit()
  }
}

extension Bench {
  fileprivate func logSize() throws -> Int {
    var status = stat()
    return stat(statePath + "/mfad.db-wal", &status) == 0 ? Int(status.st_size) : 0
  }
}
