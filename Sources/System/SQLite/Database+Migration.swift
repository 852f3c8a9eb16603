extension Database {
  /// Brings the schema to its newest version, one committed step after another.
  ///
  /// The number of steps that a file has seen stands in `user_version`; a file with more steps than this
  /// program knows is refused and left alone.
  package func migrate(_ steps: [StaticString]) throws {
    let version = try row("PRAGMA user_version") { $0.int(0) } ?? 0
    guard version <= steps.count else { throw SQLiteError(.newer) }
    for (index, step) in steps.enumerated().dropFirst(version) {
      try transaction {
        try executeScript(step)
        try setVersion(index + 1)
      }
    }
  }
}
