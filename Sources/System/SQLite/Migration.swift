/// One step of a schema; a step that has been released is never changed.
package enum Migration: Sendable, ExpressibleByStringLiteral {
  case sql(StaticString)
  /// What statements alone cannot do.
  case code(@Sendable (Database) throws -> Void)

  package init(stringLiteral script: StaticString) { self = .sql(script) }
}

extension Database {
  /// Brings the schema to its newest version, one committed step after another.
  ///
  /// The number of steps that a file has seen stands in `user_version`; a file with more steps than this program knows
  /// is refused and left alone. References are checked at the end of a step, not during it, so that a table can be
  /// built anew without taking along what refers to it.
  package func migrate(_ steps: [Migration]) throws {
    let version = try row("PRAGMA user_version") { $0.int(0) } ?? 0
    guard version <= steps.count else { throw SQLiteError(.newer) }
    guard version < steps.count else { return }
    // The pragma has no effect within a transaction.
    try executeScript("PRAGMA foreign_keys = OFF")
    defer { try? executeScript("PRAGMA foreign_keys = ON") }
    for (index, step) in steps.enumerated().dropFirst(version) {
      try transaction {
        switch step {
        case .sql(let script): try executeScript(script)
        case .code(let body): try body(self)
        }
        guard try rows("PRAGMA foreign_key_check", read: { _ in true }).isEmpty else {
          throw SQLiteError(.constraint)
        }
        try setVersion(index + 1)
      }
    }
    // All of the schema was written and looked at; the daemon will not need all of that again.
    releaseMemory()
  }
}
