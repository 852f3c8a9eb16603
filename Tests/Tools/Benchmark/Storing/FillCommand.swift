internal import SQLite
internal import Usage

/// Fills a database, to measure costs that could grow with it.
struct FillCommand: ProgramOptions {
  private let path: String
  private let count: Int

  init(_ arguments: Arguments) throws(UsageError) {
    let words = try arguments.operands(of: Self.usage)
    (path, count) = (words[0], try Int(words[1], "COUNT", upTo: 1_000_000))
  }

  static let usage = ProgramUsage(
    "mfad-bench fill",
    forms: ["DATABASE COUNT"],
    summary: "fill a database of the daemon with answered pushes",
    purpose: """
      Copies the first approved push until the database has COUNT pushes. The copies are older than the existing
      pushes. A tenth of them belongs to the same owner, the others to other users. The daemon cannot open the
      copies, so they are only rows.
      """,
    operands: ["DATABASE", "COUNT"],
    options: [.help],
    exitCodes: [(0, "filled"), (1, "failed"), (2, "wrong usage")]
  )

  static let command = ProgramCommand(usage) { arguments in
    report(arguments) { options in
      try fill(Database(path: options.path), to: options.count)
      return ""
    }
  }

  private static func fill(_ database: Database, to count: Int) throws {
    try database.transaction {
      try database.run(
        """
        WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 49)
        INSERT OR IGNORE INTO owner (uid, created_at) SELECT 30000 + n, 0 FROM number
        """
      )
      try database.run(
        """
        WITH RECURSIVE number (n) AS (
          SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1 - (SELECT count(*) FROM approval))
        INSERT INTO approval (sequence, id, owner, approver, source, foreign_id, kind, state, data_key, content, timeout,
            received_at, expires_at, decision)
          SELECT -n, 'copy-' || n, iif(n % 10 = 0, owner, 30000 + n % 50), approver, source, 'copy-' || n, kind, state,
            data_key, content, timeout, received_at, expires_at, decision
          FROM number, (SELECT * FROM approval WHERE state = 'approved' ORDER BY sequence LIMIT 1)
        """,
        SQLValue(count)
      )
    }
  }
}
