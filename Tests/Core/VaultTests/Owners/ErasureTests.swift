import Accounts
import Approvals
import ControlAPI
import EventLoop
import Fixtures
import Glibc
import Interleaving
import JSON
import JSONRPC
import PingOne
import SQLite
import TestLoop
import TestNetwork
import TestPlatform
import Testing

@testable import Approvals
@testable import Vault

@Suite("Erasing an owner", .timeLimit(.minutes(30)))
struct ErasureTests {
  private static let other: uid_t = 7

  /// Returns a bench with two owners that have interleaved rows of pairings, pushes and codes.
  @EventLoop
  private static func populated(pushes: Int = 3) async throws -> Bench {
    let bench = try Bench(inMemory: true)
    for owner in [Bench.owner, other] {
      try await bench.pair(owner)
      bench.platform.code.request = "r-\(owner)"
      _ = try await bench.codes.start("ABCD1234", owner: owner)
      _ = try await bench.payloads.make(for: owner)
    }
    for number in 0..<pushes {
      for owner in [Bench.owner, other] {
        let context = String(repeating: "context ", count: number * 37 % 120)
        let push = try bench.push(["aud": .string("d-\(owner)"), "clientContext": .string(context)])
        _ = try bench.pushes.process(.string(push), owner: owner)
      }
    }
    return bench
  }

  @Test("erasing an owner deletes all its rows and none of another owner")
  func rows() async throws {
    try await TestLoop.run {
      let bench = try await Self.populated()
      let life = bench.life
      #expect(try life.vault.rowCount(of: Bench.owner) > 5)
      let before = try life.vault.rowCount(of: Self.other)
      try await life.owners.erase(Bench.owner)
      #expect(try life.vault.rowCount(of: Bench.owner) == 0)
      #expect(try life.vault.rowCount(of: Self.other) == before)
      #expect(try life.accounts.list(of: Bench.owner).isEmpty)
      #expect(try !bench.isPolling())
      #expect(try bench.isPolling(of: Self.other))
      #expect(throws: RPCError.notConfigured) {
        try life.passcodes.passcode(of: nil, next: false, owner: Bench.owner)
      }
      #expect(try bench.passcode(owner: Self.other).current.passcode.count == 6)
      // An owner without data can be erased, and an erased owner can enrol again.
      try await life.owners.erase(Bench.owner)
      try await bench.pair()
      #expect(try life.accounts.list(of: Bench.owner).count == 1)
    }
  }

  @Test("sealed data of an erased owner cannot be opened from any copy")
  func copies() async throws {
    try await TestLoop.run {
      // Enough rows that pages are split and merged, which leaves copies.
      let bench = try await Self.populated(pushes: 300)
      let vault = bench.vault
      for round in 0..<8 { try vault.churn(round) }
      try vault.commit()
      let (erased, kept) = (try vault.sealedKeys(of: Bench.owner), try vault.sealedKeys(of: Self.other))
      #expect(erased.count > 100 && kept.count > 100)
      #expect(try erased.allSatisfy { try vault.opens($0) } && kept.allSatisfy { try vault.opens($0) })
      let key = try #require(try vault.ownerKey(of: Bench.owner))
      let foreignKey = try #require(try vault.ownerKey(of: Self.other))
      try await bench.owners.erase(Bench.owner)
      #expect(try Self.found([key], in: bench.statePath) == 0)
      #expect(try Self.found([foreignKey], in: bench.statePath) == 1)
      for _ in 0..<2 {
        #expect(try !erased.contains { try vault.opens($0) } && kept.allSatisfy { try vault.opens($0) })
        // In the second round, the vault reads the keys from the disk again.
        vault.invalidateCaches()
      }
      // An owner that enrols again gets the same slot and another key.
      try await bench.pair()
      #expect(try vault.ownerKey(of: Bench.owner) != key)
      #expect(try !erased.contains { try vault.opens($0) } && kept.allSatisfy { try vault.opens($0) })
    }
  }

  @Test("owner keys keep their slots, and erased keys are in no file")
  func slots() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      var numbers = SeededNumbers(3)
      var gone: [[UInt8]] = []
      var owners: [uid_t] = []
      for owner in 2000..<2600 {
        _ = try bench.vault.sealer.makeDataKey(SealLabel("test.data_key", row: "", owner: uid_t(owner)))
        owners.append(uid_t(owner))
        guard Int.random(in: 0..<3, using: &numbers) == 0 else { continue }
        let erased = owners.remove(at: Int.random(in: owners.indices, using: &numbers))
        gone.append(try #require(try bench.vault.ownerKey(of: erased)))
        try await bench.owners.erase(erased)
      }
      try bench.vault.commit()
      #expect(gone.count > 100)
      #expect(try Self.found(gone, in: bench.statePath) == 0)
      let left = try owners.map { try #require(try bench.vault.ownerKey(of: $0)) }
      #expect(try Self.found(left, in: bench.statePath) == left.count)
    }
  }

  @Test("work that waits for the platform fails after erasure and stores nothing")
  func work() async throws {
    let steps: [TestPlatform.Call] = [
      .trust, .registerPush, .pair("01ABCDEFGHJKMN"), .checkPasscode, .claim("ABCD1234"),
      .answerCode("r-1"), .answer("p-1"),
    ]
    for step in steps {
      for moment in [TestPlatform.Moment.request, .reply] {
        try await TestLoop.run {
          let bench = try Bench(inMemory: true)
          let gate = Gate(bench.platform) { $0 == step && $1 == moment }
          let work = EventLoop.task { try await Self.everything(bench) }
          await settle()
          #expect(gate.held.count == 1, "\(step)")
          try await bench.owners.erase(Bench.owner)
          let heard = bench.events.count
          await gate.release()
          // A failed push registration is repeated later, so it does not end the work.
          await #expect(throws: (any Error).self, "\(step)") { try await work.value }
          await bench.pass(.seconds(700))
          #expect(bench.events.count == heard, "\(step)")
          #expect(try bench.vault.rowCount(of: Bench.owner) == 0, "\(step)")
          #expect(bench.approvals.deadlines.isEmpty && bench.approvals.delivery.unsettled.isEmpty)
        }
      }
    }
  }

  /// Runs all operations that call the platform, one after the other.
  @EventLoop
  private static func everything(_ bench: Bench) async throws {
    try await bench.pair()
    let code = try await bench.codes.start("ABCD1234", owner: Bench.owner)
    _ = try await bench.codes.approve(code.id, user: nil, owner: Bench.owner)
    guard let push = try bench.receive() else { return }
    _ = try await bench.approvals.approve(push.id, method: "user", number: nil, owner: Bench.owner)
  }

  @Test("platform calls of the erased owner end, those of others continue")
  func flights() async throws {
    typealias Asking = @EventLoop @Sendable (Bench, uid_t) async throws -> Void
    let asked: [(call: String, ask: Asking)] = [
      ("registerPush", { _ = try await $0.channels.setAllowed(false, owner: $1) }),
      ("info", { _ = try await $0.reports.report(of: $1) }),
      ("rotateKeys", { _ = try await $0.devices.rotateKeys(of: $1) }),
      (
        "unpair",
        {
          for account in try $0.accounts.list(of: $1) {
            _ = try await $0.accounts.remove(account.id, localOnly: false, owner: $1)
          }
        }
      ),
    ]
    for (name, ask) in asked {
      try await TestLoop.run {
        let bench = try await Self.populated(pushes: 0)
        let gate = Gate(bench.platform) { call, moment in "\(call)".hasPrefix(name) && moment == .request }
        var ended: [uid_t] = []
        for owner in [Bench.owner, Self.other] {
          EventLoop.task {
            _ = try? await ask(bench, owner)
            ended.append(owner)
          }
        }
        await settle()
        #expect(gate.held.count == 2 && ended.isEmpty, "\(name)")
        // The caches may be emptied at any time.
        bench.vault.invalidateCaches()
        try await bench.owners.erase(Bench.owner)
        await settle()
        #expect(ended == [Bench.owner], "\(name)")
        await gate.releaseAll()
        #expect(ended == [Bench.owner, Self.other], "\(name)")
      }
    }
  }

  @Test("subscribers and erasure observers of the owner are notified")
  func observers() async throws {
    try await TestLoop.run {
      let bench = try await Self.populated()
      var discarded = 0
      let subscriptions = [Bench.owner, Self.other].map { owner in
        bench.life.events.subscribe(owner: owner, topics: [], deliver: { _, _ in }) {
          discarded += 1
        }
      }
      var ended: [uid_t] = []
      bench.owners.whenErased { ended.append($0) }
      try await bench.owners.erase(Bench.owner)
      #expect(discarded == 1 && ended == [Bench.owner])
      for subscription in subscriptions { bench.life.events.cancel(subscription) }
    }
  }

  @Test("an erasure blocked by a reader fails with busy and succeeds when repeated")
  func kept() async throws {
    try await TestLoop.run {
      let bench = try await Self.populated()
      let reader = try Database(path: bench.statePath + "/mfad.db")
      try reader.run("BEGIN")
      _ = try reader.row("SELECT count(*) FROM owner") { $0.int(0) }
      for _ in 0..<2 {
        let error = await #expect(throws: SQLiteError.self) { try await bench.owners.erase(Bench.owner) }
        #expect(error?.kind == .busy)
        #expect(try bench.vault.rowCount(of: Bench.owner) == 0)
      }
      try reader.run("ROLLBACK")
      try await bench.owners.erase(Bench.owner)
    }
  }

  /// Returns the number of traces in the database files, identified by their first eight bytes.
  private static func found(_ traces: [[UInt8]], in directory: String) throws -> Int {
    let heads = Set(traces.map { $0.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } })
    #expect(heads.count == traces.count)
    var found: Set<UInt64> = []
    for name in ["mfad.db", "mfad.db-wal", "mfad.db-shm"] {
      var window: UInt64 = 0
      for byte in try bytes(of: "\(directory)/\(name)") {
        window = window << 8 | UInt64(byte)
        if heads.contains(window) { found.insert(window) }
      }
    }
    return found.count
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    #expect(read(descriptor, &bytes, bytes.count) == bytes.count)
    return bytes
  }
}

extension Vault {
  /// Changes and deletes rows in mixed order, like long use.
  fileprivate func churn(_ round: Int) throws {
    try database.run(
      """
      UPDATE approval SET state = iif((sequence + ?1) % 2 = 0, 'pending', 'cancelled'),
        decision = zeroblob((sequence * 31 + ?1 * 17) % 90)
      WHERE (sequence * 7 + ?1) % 3 = 0
      """,
      SQLValue(round)
    )
    try database.run("DELETE FROM approval WHERE (sequence * 11 + ?1) % 17 = 0", SQLValue(round))
  }

  /// Returns the number of rows of an owner.
  fileprivate func rowCount(of owner: uid_t) throws -> Int {
    try database.row(
      """
      SELECT (SELECT count(*) FROM owner WHERE uid = ?1) + (SELECT count(*) FROM identity WHERE owner = ?1)
        + (SELECT count(*) FROM account WHERE owner = ?1) + (SELECT count(*) FROM pairing WHERE owner = ?1)
        + (SELECT count(*) FROM audit WHERE owner = ?1) + (SELECT count(*) FROM payload WHERE owner = ?1)
        + (SELECT count(*) FROM used_token WHERE owner = ?1)
        + (SELECT count(*) FROM approval WHERE owner = ?1) + (SELECT count(*) FROM seen WHERE owner = ?1)
        + (SELECT count(*) FROM pingone_owner WHERE owner = ?1) + (SELECT count(*) FROM session WHERE owner = ?1)
      """,
      SQLValue(owner)
    ) { $0.int(0) } ?? 0
  }

  /// Returns the wrapped data keys of an owner's requests with their labels.
  fileprivate func sealedKeys(of owner: uid_t) throws -> [(label: SealLabel, key: [UInt8])] {
    try database.rows("SELECT id, data_key FROM approval WHERE owner = ?", SQLValue(owner)) { row in
      (SealLabel("approval.data_key", row: row.text(0), owner: owner), row.blob(1))
    }
  }

  fileprivate func opens(_ sealed: (label: SealLabel, key: [UInt8])) throws -> Bool {
    (try? sealer.dataKey(unwrapping: sealed.key, sealed.label)) != nil
  }
}
