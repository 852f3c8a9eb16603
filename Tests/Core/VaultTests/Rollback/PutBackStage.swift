import Configuration
import ControlAPI
import Daemon
import EventLoop
import Glibc
import JSON
import JSONRPC
import SQLite
import Settings
import TestNetwork
import TestPlatform

@testable import Vault

/// A state directory and its rollback directory, which tests copy and restore between runs.
@EventLoop
final class PutBackStage {
  let clock = TestClock()
  private let directory: TestDirectory
  private var current: Start?

  nonisolated static let owner: uid_t = 1000
  nonisolated static let neighbour: uid_t = 1001
  nonisolated static let pin = "280491"
  nonisolated static let other = "734015"

  /// The objects of one run.
  @dynamicMemberLookup
  struct Start {
    let core: Core
    let lock: PINLock
    let counter: RollbackCounter

    subscript<Value>(dynamicMember member: KeyPath<Core, Value>) -> Value { core[keyPath: member] }
  }

  /// Includes a table with a deferred foreign key, by which a test makes a commit fail.
  private static let schema = DatabaseSchema(
    version: 1,
    DaemonSchema.tables + [
      "CREATE TABLE promise (owner INTEGER REFERENCES owner (uid) DEFERRABLE INITIALLY DEFERRED) STRICT"
    ]
  )

  init() throws {
    directory = try TestDirectory(inMemory: true)
    try start()
    // The rollback counter starts only with a first secret.
    _ = try life.vault.sealer.makeDataKey(SealLabel("test.data_key", row: "", owner: 7))
  }

  var life: Start {
    get throws {
      struct Ended: Error {}
      guard let current else { throw Ended() }
      return current
    }
  }

  var state: String { directory.path + "/state" }
  var beside: String { state + "-rollback" }

  private func start(_ first: (Start) throws -> Void = { _ in }) throws {
    let vault = try Vault(directory: state, credential: "none", schema: Self.schema)
    RollbackCounter.makeDirectory(of: state)
    let core = Core(
      vault: vault,
      settings: Settings(try Configuration(parsing: "", file: "mfad.conf")),
      time: clock.source
    )
    let start = Start(
      core: core,
      lock: PINLock(core),
      counter: RollbackCounter(vault: vault, audit: core.audit)
    )
    try first(start)
    start.counter.start()
    try? vault.commit()
    current = start
  }

  /// Stops, calls `between`, starts again and lets 60 seconds pass, which ends the rate limit of tries.
  func restart(_ between: () throws -> Void = {}, first: (Start) throws -> Void = { _ in }) throws {
    try life.vault.commit()
    try life.counter.finish()
    try life.vault.close()
    current = nil
    try between()
    try start(first)
    clock.pass(.seconds(60))
  }

  func copy(_ directory: String, as name: String) throws {
    let target = "\(self.directory.path)/\(name)"
    _ = try TestProgram.run(["rm", "-rf", target])
    _ = try TestProgram.run(["cp", "-a", directory, target])
  }

  func putBack(_ name: String, as directory: String) throws {
    _ = try TestProgram.run(["rm", "-rf", directory])
    _ = try TestProgram.run(["cp", "-a", "\(self.directory.path)/\(name)", directory])
  }

  /// Stores a change.
  func change() throws {
    try life.owners.setKeepsOnReinstall(true, owner: 7)
    try life.vault.commit()
  }

  /// Rollback findings in the audit, oldest first.
  var findings: [String?] {
    get throws {
      try life.vault.auditEntries(of: 0, before: nil, limit: 100)
        .filter { $0.method == RollbackCounter.noticing.name }.map(\.target).reversed()
    }
  }

  // MARK: PINs

  func set(_ pin: String = pin, current: String? = nil, owner: uid_t = owner) async throws {
    try await life.lock.set(pin, current: current, owner: owner)
    try life.vault.commit()
  }

  func refusal(of pin: String = "wrong one", owner: uid_t = owner) async -> RPCError? {
    await Bench.refusal {
      _ = try await life.lock.unlock(pin, seconds: 1, owner: owner)
      try life.vault.commit()
    }
  }

  /// Makes `count` wrong tries without reaching the rate limit.
  func tryInVain(_ count: Int, owner: uid_t = owner) async {
    for _ in 0..<count {
      clock.pass(.seconds(60))
      _ = await refusal(owner: owner)
    }
    clock.pass(.seconds(60))
  }

  /// Makes one more wrong try and returns the tries left, or the reason of the refusal.
  func left(owner: uid_t = owner) async -> String {
    clock.pass(.seconds(60))
    guard let error = await refusal(owner: owner) else { return "unlocked" }
    return error.details["triesLeft"]?.int.map { "\($0)" } ?? error.reason
  }
}
