import ControlAPI
import EventLoop
import JSONRPC
import OpenSSL
import SQLite
import TestLoop
import TestPlatform
import Testing
import Vault

@testable import Accounts

extension Bench {
  /// Inserts an HOTP account with the secret of RFC 4226, appendix D.
  fileprivate func insertCounter(_ counter: Int) throws -> AccountRecord {
    let account = try life.accounts.insert(
      kind: .pingOne,
      owner: Self.owner,
      state: .active,
      label: "counts",
      identityKey: ["counts"]
    )
    try life.passcodes.insert(
      OATHSecret(
        secret: Secret(copying: Array("12345678901234567890".utf8)),
        algorithm: .sha1,
        digits: 6,
        moving: .counter(counter)
      ),
      of: account
    )
    return account
  }

  fileprivate func next(_ account: AccountRecord) throws -> CountedPasscode? {
    let passcode = try life.passcodes.passcode(of: account.id, next: false, owner: Self.owner)
    if case .counted(let counted) = passcode { return counted }
    return nil
  }

  /// The counter as another connection reads it.
  fileprivate var storedCounter: Int? {
    get throws { try Database(path: statePath + "/mfad.db").row("SELECT counter FROM oath") { $0.int(0) } }
  }
}

@Suite("HOTP passcodes", .timeLimit(.minutes(30)))
struct CounterTests {
  @Test("passcodes match RFC 4226, and no counter is used twice, also after a crash")
  func values() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let account = try bench.insertCounter(0)
      let expected = [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
      ]
      for (count, passcode) in expected.enumerated() {
        let counted = try #require(try bench.next(account))
        #expect(counted.counter == count && counted.passcode == passcode)
        if count.isMultiple(of: 3) { try bench.crash() }
      }
      #expect(throws: RPCError.invalidParameter("next")) {
        try bench.passcodes.passcode(of: account.id, next: true, owner: Bench.owner)
      }
      #expect(try bench.next(account)?.counter == 10)
    }
  }

  @Test("the counter is committed at the end of the loop iteration")
  func stored() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try bench.insertCounter(5)
      try await bench.vault.committed()
      #expect(try bench.storedCounter == 5)
      #expect(try bench.next(account)?.counter == 5)
      try await bench.vault.committed()
      #expect(try bench.storedCounter == 6)
    }
  }

  @Test("a counter that cannot be stored is not used and the next call gets it")
  func failed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let account = try bench.insertCounter(5)
      try await bench.vault.committed()
      let other = try Database(path: bench.statePath + "/mfad.db")
      try other.begin()
      #expect(throws: SQLiteError.self) { try bench.next(account) }
      other.rollBack()
      #expect(try bench.storedCounter == 5)
      #expect(try bench.next(account)?.counter == 5)
    }
  }
}
