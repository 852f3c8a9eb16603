import SQLite
import TestNetwork
import TestPlatform
import Testing

@testable import PingAM

@Suite("The table of accounts at PingAM servers")
struct SchemaTests {
  @Test("a file of an earlier version is carried on, and an id is no longer everybody's")
  func migration() throws {
    let directory = try TestDirectory(inMemory: true)
    let path = directory.path + "/mfad.db"
    let old = try Database(path: path)
    // The table as it was at first, before the two steps that changed it.
    let first = try #require(Life.schema.count > 7 ? Life.schema.prefix(7) : nil)
    try old.migrate(Array(first))
    try Self.addAccount("a", of: 1000, to: old)
    let database = try Database(path: path)
    try database.migrate(Life.schema)
    let kept = try database.row("SELECT mechanism, user, token_told, resource FROM am_account") {
      ($0.text("mechanism"), $0.optionalBlob("user"), $0.flag("token_told"), $0.optionalText("resource"))
    }
    #expect(kept?.0 == "m" && kept?.1 == [2] && kept?.2 == false && kept?.3 == nil)
    try Self.addAccount("b", of: 1001, to: database)
    #expect(throws: (any Error).self) { try Self.addAccount("c", of: 1001, to: database) }
    try database.run("DELETE FROM account WHERE id = 'a'")
    #expect(try database.row("SELECT count(*) FROM am_account") { $0.int(0) } == 1)
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
