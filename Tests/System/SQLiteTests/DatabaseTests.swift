import Glibc
import SQLite
import Testing

@Suite("Database")
struct DatabaseTests {
  private static let schema = DatabaseSchema(
    version: 1,
    ["CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT UNIQUE) STRICT"]
  )

  private func temporaryPath() -> String { "/tmp/mfad-test-\(getpid())-\(UInt64.random(in: 0 ... .max)).db" }

  private func remove(_ path: String) { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }

  @Test("values of every type are read back unchanged")
  func values() throws {
    let database = try Database(path: ":memory:")
    try database.executeScript("CREATE TABLE v (a, b, c, d, e)")
    try database.run(
      "INSERT INTO v VALUES (?, ?, ?, ?, ?)",
      .null,
      .integer(.min),
      "é\0x",
      .blob([]),
      .blob([0, 255])
    )
    let row = try #require(try database.row("SELECT * FROM v") { row in (0..<5).map { row[.position($0)] } })
    #expect(row == [.null, .integer(.min), .text("é\0x"), .blob([]), .blob([0, 255])])
  }

  @Test("rows are readable after releaseMemory")
  func release() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let database = try Database(path: path)
    try database.prepare(Self.schema)
    for round in 1...3 {
      try database.run("INSERT INTO thing (name) VALUES (?)", .text("\(round)"))
      database.releaseMemory()
      #expect(try database.row("SELECT count(*) FROM thing") { $0.int(0) } == round)
    }
  }

  @Test("a failed transaction or savepoint rolls back all changes")
  func rollback() throws {
    struct Stop: Error {}
    let database = try Database(path: ":memory:")
    try database.prepare(Self.schema)
    #expect(throws: Stop.self) {
      try database.transaction {
        try database.run("INSERT INTO thing (name) VALUES (?)", "a")
        try database.savepoint { throw Stop() }
      }
    }
    #expect(try database.row("SELECT count(*) FROM thing") { $0.int(0) } == 0)
    try database.transaction { _ = try database.run("INSERT INTO thing (name) VALUES (?)", "b") }
    #expect(try database.row("SELECT count(*) FROM thing") { $0.int(0) } == 1)
  }

  @Test("a constraint violation is reported and the connection stays usable")
  func constraint() throws {
    let database = try Database(path: ":memory:")
    try database.prepare(Self.schema)
    try database.run("INSERT INTO thing (name) VALUES (?)", "a")
    let error = #expect(throws: SQLiteError.self) {
      try database.run("INSERT INTO thing (name) VALUES (?)", "a")
    }
    #expect(error?.kind == .constraint)
    #expect(try database.rows("SELECT name FROM thing") { $0.text(0) } == ["a"])
  }

  @Test("the error kind does not depend on an earlier errno")
  func reason() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let (writer, reader) = (try Database(path: path), try Database(path: path))
    try writer.prepare(Self.schema)
    try writer.run("INSERT INTO thing (name) VALUES (?)", "a")
    #expect(try reader.row("PRAGMA schema_version") { $0.int(0) } == 1)
    // No system call fails: the WAL is only shorter than before.
    #expect(truncate(path + "-wal", 32) == 0)
    errno = EACCES
    let error = #expect(throws: SQLiteError.self) {
      try reader.rows("SELECT name FROM thing") { $0.text(0) }
    }
    #expect(error?.kind == .failed)
  }

  @Test("a write lock of another connection is reported as busy")
  func busy() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let one = try Database(path: path)
    try one.prepare(Self.schema)
    let other = try Database(path: path)
    try one.run("BEGIN IMMEDIATE")
    let error = #expect(throws: SQLiteError.self) {
      try other.transaction { _ = try other.run("INSERT INTO thing (name) VALUES (?)", "a") }
    }
    #expect(error?.kind == .busy)
    try one.run("ROLLBACK")
    try other.transaction { _ = try other.run("INSERT INTO thing (name) VALUES (?)", "a") }
  }

  @Test("a file that is not a database is reported as corrupt")
  func corrupt() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    let garbage = [UInt8](repeating: 0x41, count: 8192)
    #expect(write(descriptor, garbage, garbage.count) == garbage.count)
    close(descriptor)
    let error = #expect(throws: SQLiteError.self) { try Database(path: path) }
    #expect(error?.kind == .corrupt)
  }

  @Test("writing to a read-only database is reported")
  func readOnly() throws {
    let database = try Database(path: ":memory:")
    try database.prepare(Self.schema)
    try database.run("PRAGMA query_only = ON")
    let error = #expect(throws: SQLiteError.self) {
      try database.run("INSERT INTO thing (name) VALUES (?)", "a")
    }
    #expect(error?.kind == .readOnly)
  }

  @Test("deleted text is in no database file after truncating the WAL")
  func erasure() throws {
    let path = temporaryPath()
    defer { remove(path) }
    let database = try Database(path: path)
    try database.prepare(Self.schema)
    let canary = "canary-8f3a1c77"
    try database.run("INSERT INTO thing (name) VALUES (?)", .text(canary))
    try database.run("DELETE FROM thing")
    try database.truncateLog()
    for suffix in ["", "-wal"] {
      #expect(!contents(of: path + suffix).contains(canary))
    }
  }

  private func contents(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
