import SQLite
import Testing

@Suite("Migrations")
struct MigrationTests {
  private struct Stop: Error {}

  private static let first: [Migration] = [
    .sql(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT) STRICT;
      CREATE TABLE child (id INTEGER PRIMARY KEY,
        parent INTEGER NOT NULL REFERENCES parent (id) ON DELETE CASCADE) STRICT;
      """
    )
  ]

  private static func database() throws -> Database {
    let database = try Database(path: ":memory:")
    try database.migrate(first)
    try database.run("INSERT INTO parent VALUES (1, 'ann'), (2, 'bob')")
    try database.run("INSERT INTO child VALUES (10, 1), (11, 1), (12, 2)")
    return database
  }

  private static func version(_ database: Database) throws -> Int? {
    try database.row("PRAGMA user_version") { $0.int(0) }
  }

  @Test("a step can be code, which reads and writes what statements alone cannot")
  func code() throws {
    let database = try Self.database()
    try database.migrate(
      Self.first + [
        .code { database in
          try database.executeScript("ALTER TABLE parent ADD COLUMN length INTEGER")
          let names = try database.rows("SELECT id, name FROM parent") { ($0.int("id"), $0.text("name")) }
          for (id, name) in names {
            try database.run("UPDATE parent SET length = ? WHERE id = ?", SQLValue(name.count), SQLValue(id))
          }
        }
      ]
    )
    #expect(try database.rows("SELECT length FROM parent") { $0.int("length") } == [3, 3])
    #expect(try Self.version(database) == 2)
  }

  @Test("code that fails leaves the file at the step before, and the next try goes on from there")
  func failure() throws {
    let database = try Self.database()
    let steps =
      Self.first + [
        .sql("ALTER TABLE parent ADD COLUMN first INTEGER"),
        .code { database in
          try database.executeScript("ALTER TABLE parent ADD COLUMN second INTEGER")
          throw Stop()
        },
      ]
    #expect(throws: Stop.self) { try database.migrate(steps) }
    #expect(try Self.version(database) == 2)
    #expect(throws: SQLiteError.self) { try database.executeScript("SELECT second FROM parent") }
    try database.migrate(steps.dropLast() + [.sql("ALTER TABLE parent ADD COLUMN second INTEGER")])
    #expect(try Self.version(database) == 3)
  }

  @Test("a table is built anew without taking along what refers to it, and references count again then")
  func rebuilt() throws {
    let database = try Self.database()
    try database.migrate(
      Self.first + [
        .sql(
          """
          CREATE TABLE new (id INTEGER PRIMARY KEY, title TEXT) STRICT;
          INSERT INTO new SELECT id, name FROM parent;
          DROP TABLE parent;
          ALTER TABLE new RENAME TO parent;
          """
        )
      ]
    )
    #expect(try database.row("SELECT count(*) FROM child") { $0.int(0) } == 3)
    try database.run("DELETE FROM parent WHERE id = 1")
    #expect(try database.rows("SELECT id FROM child") { $0.int("id") } == [12])
    #expect(throws: SQLiteError.self) { try database.run("INSERT INTO child VALUES (13, 1)") }
  }

  @Test("a step that leaves a reference to nothing is undone")
  func orphan() throws {
    let database = try Self.database()
    let failure = #expect(throws: SQLiteError.self) {
      try database.migrate(Self.first + [.sql("DELETE FROM parent WHERE id = 2")])
    }
    #expect(failure?.kind == .constraint)
    #expect(try Self.version(database) == 1)
    #expect(try database.row("SELECT count(*) FROM parent") { $0.int(0) } == 2)
    #expect(throws: SQLiteError.self, "references count again") {
      try database.run("INSERT INTO child VALUES (13, 9)")
    }
  }
}
