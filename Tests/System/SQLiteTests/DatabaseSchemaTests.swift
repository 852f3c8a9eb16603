import SQLite
import Testing

@Suite("Database schema")
struct DatabaseSchemaTests {
  private static let tables: StaticString = """
    CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT) STRICT;
    CREATE TABLE child (parent INTEGER NOT NULL REFERENCES parent (id)) STRICT;
    """

  private static func version(_ database: Database) throws -> Int? {
    try database.row("PRAGMA user_version") { $0.int(0) }
  }

  @Test("a new file gets tables and layout number, and keeps its rows when reopened")
  func prepare() throws {
    let database = try Database(path: ":memory:")
    let schema = DatabaseSchema(version: 3, [Self.tables, "CREATE TABLE other (id INTEGER) STRICT"])
    try database.prepare(schema)
    try database.run("INSERT INTO parent VALUES (1, 'ann')")
    try database.run("INSERT INTO other VALUES (1)")
    try database.prepare(schema)
    #expect(try Self.version(database) == 3)
    #expect(try database.row("SELECT name FROM parent JOIN other USING (id)") { $0.text(0) } == "ann")
    #expect(throws: SQLiteError.self, "references count") {
      try database.run("INSERT INTO child VALUES (2)")
    }
  }

  @Test("a file with another layout is refused with both numbers and not changed", arguments: [1, 3])
  func otherLayout(_ version: Int) throws {
    let database = try Database(path: ":memory:")
    try database.prepare(DatabaseSchema(version: version, [Self.tables]))
    let failure = #expect(throws: SQLiteError.self) {
      try database.prepare(DatabaseSchema(version: 2, ["CREATE TABLE other (id INTEGER) STRICT"]))
    }
    #expect(failure?.kind == .newer)
    #expect(
      failure?.description == "the file has layout \(version), and this version of the program reads layout 2"
    )
    #expect(try Self.version(database) == version)
    #expect(try database.rows("SELECT name FROM sqlite_schema") { $0.text(0) } == ["parent", "child"])
  }

  @Test("a failed statement leaves the file empty, and a retry makes all tables")
  func failure() throws {
    let database = try Database(path: ":memory:")
    #expect(throws: SQLiteError.self) {
      try database.prepare(
        DatabaseSchema(version: 1, [Self.tables, "CREATE TABLE parent (id INTEGER) STRICT"])
      )
    }
    #expect(try Self.version(database) == 0)
    #expect(try database.rows("SELECT name FROM sqlite_schema") { $0.text(0) }.isEmpty)
    try database.prepare(DatabaseSchema(version: 1, [Self.tables]))
    #expect(try Self.version(database) == 1)
  }
}
