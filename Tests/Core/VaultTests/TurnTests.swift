import Daemon
import EventLoop
import Glibc
import SQLite
import TestLoop
import TestNetwork
import TestPlatform
import Testing
import Time
import Vault

/// A vault that records announcements and commit results.
@EventLoop
private final class Stage {
  let directory: TestDirectory
  let vault: Vault
  let owners: Owners
  var announced: [String] = []
  var settled: [Bool] = []

  struct Failure: Error {}

  init() throws {
    directory = try TestDirectory()
    // A deferred foreign key, which SQLite checks only at commit.
    let promise: StaticString =
      "CREATE TABLE promise (owner INTEGER REFERENCES owner (uid) DEFERRABLE INITIALLY DEFERRED) STRICT"
    let schema = DatabaseSchema(version: 1, DaemonSchema.tables + [promise])
    vault = try Vault(directory: directory.path, credential: "none", schema: schema)
    owners = Owners(vault: vault, time: TestClock().source)
    _ = try vault.sealer.makeDataKey(SealLabel("test.data_key", row: "", owner: 0))
    try vault.commit()
  }

  func enter(_ owner: uid_t) throws {
    try vault.write { _ in
      try owners.enter(owner)
      vault.whenCommitted { [self] in announced.append("\(owner)") }
    }
    vault.afterTurn { [self] failure in settled.append(failure == nil) }
  }

  /// Makes a change that cannot be committed.
  func breakPromise() throws { try vault.write { try $0.run("INSERT INTO promise VALUES (99)") } }

  /// The owners as another connection reads them.
  var stored: [uid_t] {
    get throws {
      try Database(path: directory.path + "/mfad.db").rows("SELECT uid FROM owner ORDER BY uid") {
        uid_t(truncatingIfNeeded: $0.int(0))
      }
    }
  }

  /// Number of commits in the WAL: the frames with a database size (WAL format).
  var commits: Int {
    get throws {
      let file = try #require(fopen(directory.path + "/mfad.db-wal", "r"))
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 16 << 20)
      let count = fread(&bytes, 1, bytes.count, file)
      func number(_ offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
      let (header, frameHeader, page) = (32, 24, number(8))
      return stride(from: header, to: count, by: frameHeader + page).count { number($0 + 4) != 0 }
    }
  }
}

@Suite("Vault commits per loop iteration", .timeLimit(.minutes(30)))
struct TurnTests {
  @Test("changes of a loop iteration are committed once, before they are announced")
  func once() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      let before = try stage.commits
      for owner: uid_t in 1...20 { try stage.enter(owner) }
      #expect(try stage.commits == before && stage.stored.isEmpty)
      #expect(stage.announced.isEmpty && stage.settled.isEmpty)
      try await stage.vault.committed()
      #expect(try stage.commits == before + 1 && stage.stored == Array(1...20))
      #expect(stage.announced == (1...20).map(String.init))
      #expect(stage.settled == Array(repeating: true, count: 20))
    }
  }

  @Test("each loop iteration with changes makes one commit, others make none")
  func turns() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      let before = try stage.commits
      for owner: uid_t in 1...3 {
        try stage.enter(owner)
        await settle()
      }
      #expect(try stage.commits == before + 3)
      #expect(try stage.owners.all().count == 3)
      await settle()
      #expect(try stage.commits == before + 3)
      var isTold = false
      stage.vault.whenCommitted { isTold = true }
      #expect(isTold, "there is nothing to wait for")
      try await stage.vault.committed()
    }
  }

  @Test("a failed part undoes its changes and announcements and no others")
  func part() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      try stage.enter(1)
      #expect(throws: Stage.Failure.self) {
        try stage.vault.write { _ in
          try stage.enter(2)
          #expect(try stage.owners.all().map(\.uid) == [1, 2])
          throw Stage.Failure()
        }
      }
      #expect(try stage.owners.all().map(\.uid) == [1])
      try stage.enter(3)
      try await stage.vault.committed()
      #expect(try stage.stored == [1, 3])
      #expect(stage.announced == ["1", "3"])
      #expect(stage.settled == [true, true, true])
    }
  }

  @Test("a failed commit fails all its writers, announces nothing and clears caches")
  func failedCommit() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      let cache: OwnerCache<Int> = stage.vault.cache()
      var undone = 0
      stage.vault.whenUndone { undone += 1 }
      try stage.enter(1)
      cache.set(5, of: 1)
      try stage.breakPromise()
      try stage.enter(2)
      let failure = await #expect(throws: SQLiteError.self) { try await stage.vault.committed() }
      #expect(failure?.kind == .orphan || failure?.kind == .constraint)
      #expect(stage.settled == [false, false] && stage.announced.isEmpty)
      #expect(try stage.stored.isEmpty && stage.owners.all().isEmpty)
      #expect(cache.value(of: 1) { 7 } == 7 && undone == 1)
      // The next loop iteration is not affected.
      try stage.enter(3)
      try await stage.vault.committed()
      #expect(try stage.stored == [3] && stage.announced == ["3"])
    }
  }

  @Test(
    "a full disk undoes all changes of the loop iteration, also later ones"
  )
  func full() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      let database = try stage.vault.database
      _ = try database.row("PRAGMA max_page_count = 1") { $0.int(0) }
      try stage.enter(1)
      let failure = #expect(throws: SQLiteError.self) {
        try stage.vault.write {
          try $0.run("INSERT INTO meta VALUES ('large', zeroblob(1048576))")
        }
      }
      #expect(failure?.kind == .full)
      #expect(throws: SQLiteError.self) { try stage.enter(2) }
      await #expect(throws: SQLiteError.self) { try await stage.vault.committed() }
      #expect(stage.settled == [false] && stage.announced.isEmpty)
      #expect(try stage.stored.isEmpty)
      _ = try database.row("PRAGMA max_page_count = 100000") { $0.int(0) }
      try stage.enter(3)
      try await stage.vault.committed()
      #expect(try stage.stored == [3])
    }
  }

  @Test("a write fails while another process has the lock and can be repeated")
  func busy() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      let other = try Database(path: stage.directory.path + "/mfad.db")
      try other.begin()
      let failure = #expect(throws: SQLiteError.self) { try stage.enter(1) }
      #expect(failure?.kind == .busy)
      other.rollBack()
      try stage.enter(1)
      try await stage.vault.committed()
      #expect(try stage.stored == [1])
    }
  }

  @Test(
    "storing fails if one of its own changes fails, not for changes of others"
  )
  func changes() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      await #expect(throws: SQLiteError.self, "the rest went well") {
        try await stage.vault.storing {
          try stage.breakPromise()
          await settle()
          try stage.enter(1)
        }
      }
      try await stage.vault.committed()
      await #expect(throws: SQLiteError.self, "what else came of it is told to nobody") {
        try await stage.vault.storing {
          try stage.breakPromise()
          await settle()
          throw Stage.Failure()
        }
      }
      await #expect(throws: SQLiteError.self, "it waited for others") {
        try stage.breakPromise()
        try await stage.vault.storing { try? await stage.vault.committed() }
      }
      try await stage.vault.storing {
        EventLoop.atEndOfTurn { try? stage.breakPromise() }
        await settle()
        try stage.enter(2)
      }
      #expect(try stage.owners.all().map(\.uid) == [1, 2])
    }
  }

  @Test(
    "all callers of shared work get the storage error of its changes"
  )
  func joined() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      let flights = SingleFlight<Int, Int>()
      let work: [@EventLoop @Sendable () async throws -> Int] = [
        {
          try stage.breakPromise()
          return 1
        },
        {
          try stage.breakPromise()
          await settle()
          return 1
        },
        {
          try stage.breakPromise()
          throw Stage.Failure()
        },
      ]
      for work in work {
        let waiting = (0..<3).map { _ in
          EventLoop.task { try await flights.run(1, changing: stage.vault, work) }
        }
        for waiting in waiting { await #expect(throws: SQLiteError.self) { try await waiting.value } }
      }
      // The caller gets the error too, even if it ignores the result of the work.
      await #expect(throws: SQLiteError.self) {
        try await stage.vault.storing { _ = try? await flights.run(1, changing: stage.vault, work[0]) }
      }
      #expect(try await flights.run(1, changing: stage.vault) { 2 } == 2)
      await #expect(throws: Stage.Failure.self) {
        try await flights.run(1, changing: stage.vault) { throw Stage.Failure() }
      }
    }
  }

  @Test("failures of work started by an announcement do not fail the committing call")
  func told() async throws {
    try await TestLoop.run {
      let stage = try Stage()
      try await stage.vault.storing {
        try stage.vault.write { _ in }
        stage.vault.whenCommitted {
          EventLoop.task {
            await settle()
            try? stage.breakPromise()
          }
        }
        try stage.vault.commit()
        for _ in 0..<3 { await settle() }
      }
    }
  }
}
