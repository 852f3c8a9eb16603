import ControlAPI
import EventLoop
import Glibc
import JSONRPC
import SQLite
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("Old guard keys after a PIN change", .timeLimit(.minutes(30)))
struct PINLogTests {
  @Test("the old guard key is in no file once a PIN is set or changed")
  func gone() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      try bench.vault.commit()
      for (pin, current) in [(Bench.pin, nil), ("734015", Bench.pin)] {
        let before = try #require(try bench.vault.guardKey(of: Bench.owner))
        #expect(bench.stateHolds(before))
        var isToldBefore = false
        try await bench.lock.set(pin, current: current, owner: Bench.owner)
        // This closure runs when the caller would get the result: after the commit of the loop iteration.
        bench.vault.afterTurn { _ in isToldBefore = bench.stateHolds(before) }
        try bench.vault.commit()
        #expect(!isToldBefore)
        #expect(!bench.stateHolds(before))
      }
    }
  }

  @Test("the old guard key stays valid if the commit with the PIN fails")
  func broken() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let before = try bench.vault.guardKey(of: Bench.owner)
      try await bench.lock.set(Bench.pin, current: nil, owner: Bench.owner)
      // Simulates an audit entry that makes the same commit fail.
      try bench.vault.breakTurn()
      #expect(throws: SQLiteError.self) { try bench.vault.commit() }
      #expect(try bench.lock.state(of: Bench.owner) == .none)
      #expect(try bench.vault.guardKey(of: Bench.owner) == before)
      #expect(try bench.passcode().current.passcode.count == 6)
    }
  }

  @Test("WAL truncation blocked by a reader is retried until it succeeds")
  func owed() async throws {
    try await TestLoop.run {
      let clock = TestClock()
      let timers = TestTimers(clock)
      var (outcomes, count) = ([true, false, false, true], 0)
      let log = WALTruncation(after: { timers.add($0, $1) }) {
        count += 1
        guard !outcomes.isEmpty, outcomes.removeFirst() else { throw SQLiteError(.busy) }
      }
      log.now()
      #expect(timers.delays.isEmpty)
      log.now()
      #expect(count == 2 && timers.delays == [.seconds(30)])
      // A waiting caller gets the result of its attempt and does not add another retry.
      let wait = EventLoop.task { try await log.finished() }
      while timers.delays.count < 2 { await TestLoop.turn() }
      clock.pass(.seconds(20))
      timers.fire()
      await #expect(throws: SQLiteError.self) { try await wait.value }
      #expect(count == 3 && timers.delays == [.seconds(10)])
      clock.pass(.seconds(10))
      timers.fire()
      #expect(count == 4 && timers.delays.isEmpty)
    }
  }
}

extension Bench {
  /// True if a state file contains these bytes.
  fileprivate func stateHolds(_ piece: [UInt8]) -> Bool {
    ["mfad.db", "mfad.db-wal"].contains { name in
      guard let file = fopen("\(statePath)/\(name)", "r") else { return false }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 16 << 20)
      let count = fread(&bytes, 1, bytes.count, file)
      let content = bytes.prefix(count)
      return content.indices.contains { content[$0] == piece[0] && content[$0...].starts(with: piece) }
    }
  }
}
