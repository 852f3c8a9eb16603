/// The tables of a database, and the number of their layout.
public struct DatabaseSchema: Sendable {
  let version: Int
  let scripts: [StaticString]

  public init(version: Int, _ scripts: [StaticString]) { (self.version, self.scripts) = (version, scripts) }
}

extension Database {
  /// Makes the tables of a new file; a file of another layout is refused and left alone.
  ///
  /// The number of the layout stands in `user_version`, which is 0 in a new file.
  public func prepare(_ schema: DatabaseSchema) throws {
    let version = try row("PRAGMA user_version") { $0.int(0) } ?? 0
    guard version != schema.version else { return }
    guard version == 0 else { throw SQLiteError(layout: version, known: schema.version) }
    try transaction {
      for script in schema.scripts { try executeScript(script) }
      try setVersion(schema.version)
    }
    // The daemon does not need the memory of all these statements again.
    releaseMemory()
  }
}
