/// The tables of a database and the schema version.
public struct DatabaseSchema: Sendable {
  let version: Int
  let scripts: [StaticString]

  public init(version: Int, _ scripts: [StaticString]) { (self.version, self.scripts) = (version, scripts) }
}

extension Database {
  /// Creates the tables of a new file.
  ///
  /// Throws an error for another schema version and leaves the file unchanged.
  ///
  /// The schema version is in `user_version`, which is 0 in a new file.
  public func prepare(_ schema: DatabaseSchema) throws {
    let version = try row("PRAGMA user_version") { $0.int(0) } ?? 0
    guard version != schema.version else { return }
    guard version == 0 else { throw SQLiteError(layout: version, known: schema.version) }
    try transaction {
      for script in schema.scripts { try executeScript(script) }
      try setVersion(schema.version)
    }
    // The memory of these statements is not needed again.
    releaseMemory()
  }
}
