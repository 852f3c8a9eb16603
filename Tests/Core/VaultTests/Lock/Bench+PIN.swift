import EventLoop
import Glibc
import JSONRPC
import SQLite
import TestPlatform

@testable import Vault

extension Bench {
  static var pin: String { "280491" }

  /// Returns a bench with a paired owner that has a PIN and is locked.
  static func locked() async throws -> Bench {
    let bench = try Bench(inMemory: true)
    try await bench.pair()
    try await bench.lock.set(pin, current: nil, owner: owner)
    try bench.vault.commit()
    return bench
  }

  func unlock(_ pin: String = Bench.pin, seconds: Int = 300) async throws {
    _ = try await life.lock.unlock(pin, seconds: seconds, owner: Bench.owner)
    try life.vault.commit()
  }

  /// Returns the error of an unlock attempt, or nil if it succeeds.
  func refusal(of pin: String = "wrong one") async -> RPCError? {
    await Self.refusal { try await self.unlock(pin) }
  }

  static func refusal(_ body: @EventLoop () async throws -> Void) async -> RPCError? {
    do {
      try await body()
      return nil
    } catch { return error as? RPCError }
  }

  /// Returns the stored tries of the owner, read with another connection.
  func storedTries() throws -> Int? {
    try Database(path: statePath + "/mfad.db").row("SELECT tries FROM pin") { $0.int(0) }
  }
  /// Returns the number of secrets that are not sealed with a guard key.
  func unguarded() throws -> Int {
    try life.vault.database.row(
      """
      SELECT (SELECT count(*) FROM oath WHERE is_guarded = 0)
        + (SELECT count(*) FROM identity_key WHERE is_guarded = 0)
      """
    ) { $0.int(0) } ?? 0
  }

  /// Returns the number of owner key slots that contain a key.
  func filledSlots() throws -> Int {
    try life.vault.database.row("SELECT count(*) FROM owner_key WHERE key != zeroblob(60)") { $0.int(0) } ?? 0
  }
}
