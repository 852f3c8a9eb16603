import Approvals
import ControlAPI
import EventLoop
import Glibc
import PingOne
import SQLite
import TestLoop
import TestPlatform
import Testing

@testable import Vault

@Suite("Data keys of the first release", .timeLimit(.minutes(30)))
struct AdoptionTests {
  private let tables = [
    WrappedKeys(
      "account.data_key",
      select: "SELECT rowid, id, owner, data_key FROM account WHERE length(data_key) = ?",
      update: "UPDATE account SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "approval.data_key",
      select: "SELECT rowid, id, owner, data_key FROM approval WHERE length(data_key) = ?",
      update: "UPDATE approval SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "identity.data_key",
      select: "SELECT rowid, id, owner, data_key FROM identity WHERE length(data_key) = ?",
      update: "UPDATE identity SET data_key = ? WHERE rowid = ?"
    ),
  ]

  /// Wraps the data keys of all accounts and requests as the first release did.
  @EventLoop
  private static func makeOld(_ bench: Bench) throws {
    try bench.makeUnguarded()
    let key = try bench.vault.sealer.wrappingKey()
    for table in ["account", "approval", "identity"] {
      for (id, owner, wrapped) in try bench.vault.wrappedKeys(table) {
        let label = SealLabel(
          table == "account"
            ? "account.data_key" : table == "approval" ? "approval.data_key" : "identity.data_key",
          row: id,
          owner: owner
        )
        let dataKey = try bench.vault.sealer.dataKey(unwrapping: wrapped, label)
        try bench.vault.store(try dataKey.wrapped(by: key, as: label), id, table)
      }
    }
    for owner in try bench.vault.owners().map(\.uid) { try bench.vault.sealer.destroyKey(of: owner) }
    try bench.vault.commit()
  }

  @Test("they open before and after their owners' keys wrap them, and go with these")
  func adoption() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      let push = try #require(try bench.receive())
      let passcode = try bench.passcode().current.passcode
      try Self.makeOld(bench)
      #expect(try bench.vault.wrappedKeys("account").allSatisfy { $0.wrapped.count == 60 })
      bench.vault.forgetWhatWasRead()
      #expect(try bench.passcode().current.passcode == passcode)

      for _ in 0..<2 {
        try bench.vault.adoptDataKeys(tables)
        for table in ["account", "approval", "identity"] {
          #expect(try bench.vault.wrappedKeys(table).allSatisfy { $0.wrapped.count == 61 }, "\(table)")
        }
        bench.vault.forgetWhatWasRead()
        #expect(try bench.passcode().current.passcode == passcode)
        #expect(try bench.approvals.notification(push.id, of: Bench.owner).content.body == push.content.body)
      }
      let adopted = try bench.vault.wrappedKeys("account")
      try await bench.owners.erase(Bench.owner)
      for (id, owner, wrapped) in adopted {
        let label = SealLabel("account.data_key", row: id, owner: owner)
        #expect(throws: SealingError.self) { try bench.vault.sealer.dataKey(unwrapping: wrapped, label) }
      }
    }
  }

  @Test("without the key-encryption key they stay as they are")
  func withoutKey() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      try await bench.pair()
      try Self.makeOld(bench)
      let file = bench.statePath + "/key"
      #expect(rename(file, file + ".away") == 0)
      bench.vault.forgetWhatWasRead()
      #expect(throws: (any Error).self) { try bench.vault.adoptDataKeys(tables) }
      #expect(rename(file + ".away", file) == 0)
      #expect(try bench.vault.wrappedKeys("account").allSatisfy { $0.wrapped.count == 60 })
      #expect(try bench.passcode().current.passcode.count == 6)
    }
  }
}

extension Vault {
  fileprivate func wrappedKeys(_ table: String) throws -> [(id: String, owner: uid_t, wrapped: [UInt8])] {
    try database.rows(
      """
      SELECT id, owner, data_key FROM (
        SELECT id, owner, data_key, 'account' AS name FROM account
        UNION ALL SELECT id, owner, data_key, 'approval' FROM approval
        UNION ALL SELECT id, owner, data_key, 'identity' FROM identity)
      WHERE name = ?
      """,
      .text(table)
    ) { ($0.text(0), uid_t($0.int(1)), $0.blob(2)) }
  }

  fileprivate func store(_ wrapped: [UInt8], _ id: String, _ table: String) throws {
    try write { database in
      try database.run(
        "UPDATE account SET data_key = ?1 WHERE id = ?2 AND ?3 = 'account'",
        .blob(wrapped),
        .text(id),
        .text(table)
      )
      try database.run(
        "UPDATE approval SET data_key = ?1 WHERE id = ?2 AND ?3 = 'approval'",
        .blob(wrapped),
        .text(id),
        .text(table)
      )
      try database.run(
        "UPDATE identity SET data_key = ?1 WHERE id = ?2 AND ?3 = 'identity'",
        .blob(wrapped),
        .text(id),
        .text(table)
      )
    }
  }
}
