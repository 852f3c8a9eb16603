import Daemon
import SQLite
import TestNetwork
import TestPlatform
import Testing

@testable import PingAM

@Suite("table of PingAM accounts")
struct SchemaTests {
  @Test("a mechanism is unique per owner, and two owners may have the same one")
  func uniqueMechanism() throws {
    let database = try Database(path: ":memory:")
    try database.prepare(DaemonSchema.current)
    try Self.addAccount("a", of: 1000, to: database)
    try Self.addAccount("b", of: 1001, to: database)
    #expect(throws: (any Error).self) { try Self.addAccount("c", of: 1001, to: database) }
  }

  private static func addAccount(_ id: String, of owner: Int, to database: Database) throws {
    try database.run("INSERT OR IGNORE INTO owner (uid, created_at) VALUES (?, 0)", SQLValue(owner))
    try database.run(
      """
      INSERT INTO account (id, owner, kind, state, digest, data_key, label, created_at)
      VALUES (?1, ?2, 'PUSH_AM', 'active', CAST(?1 AS BLOB), x'00', x'00', 0)
      """,
      .text(id),
      SQLValue(owner)
    )
    try database.run(
      """
      INSERT INTO am_account
        (account, owner, mechanism, authenticate_url, refresh_url, secret, user, policies, token_told)
      VALUES (?, ?, 'm', 'https://a/', 'https://b/', x'01', x'02', '', 0)
      """,
      .text(id),
      SQLValue(owner)
    )
  }
}
