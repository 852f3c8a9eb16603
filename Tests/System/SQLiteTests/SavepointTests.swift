import SQLite
import Testing

@Suite("Savepoints")
struct SavepointTests {
  private struct Stop: Error {}

  private static func database() throws -> Database {
    let database = try Database(path: ":memory:")
    try database.executeScript("CREATE TABLE thing (name TEXT UNIQUE) STRICT")
    return database
  }

  private static func names(_ database: Database) throws -> [String] {
    try database.rows("SELECT name FROM thing ORDER BY name") { $0.text("name") }
  }

  private static func insert(_ name: String, into database: Database) throws {
    try database.run("INSERT INTO thing (name) VALUES (?)", .text(name))
  }

  @Test("a failed savepoint undoes only its own changes, also nested")
  func partial() throws {
    let database = try Self.database()
    try database.transaction {
      try Self.insert("a", into: database)
      #expect(throws: Stop.self) {
        try database.savepoint {
          try Self.insert("b", into: database)
          try database.savepoint { try Self.insert("c", into: database) }
          throw Stop()
        }
      }
      try database.savepoint {
        try Self.insert("d", into: database)
        let failure = #expect(throws: SQLiteError.self) {
          try database.savepoint {
            try Self.insert("e", into: database)
            try Self.insert("a", into: database)
          }
        }
        #expect(failure?.kind == .constraint)
      }
    }
    #expect(try Self.names(database) == ["a", "d"])
  }

  @Test("a released savepoint is undone with its transaction")
  func enclosing() throws {
    let database = try Self.database()
    #expect(throws: Stop.self) {
      try database.transaction {
        try database.savepoint { try Self.insert("a", into: database) }
        throw Stop()
      }
    }
    #expect(try Self.names(database).isEmpty && !database.isInTransaction)
  }

  @Test("a failure that rolls back the transaction is rethrown unchanged")
  func ended() throws {
    let database = try Self.database()
    try database.begin()
    #expect(throws: Stop.self) {
      try database.savepoint {
        database.rollBack()
        throw Stop()
      }
    }
    #expect(!database.isInTransaction)
    try database.transaction { try Self.insert("a", into: database) }
    #expect(try Self.names(database) == ["a"])
  }
}
