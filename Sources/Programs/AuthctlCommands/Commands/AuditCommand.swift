internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let audit = Command(
    "audit",
    "[--limit N]",
    options: [Option("--limit", takes: "N", "list up to N entries (default: 50, maximum: 200)")],
    summary: "list the audit log, newest entry first",
    details: """
      One line each: time, user, method, id of the object, and outcome: ok, or the reason of an error or a
      denial. Methods that begin with "daemon." are actions of the daemon itself. You see your own entries,
      root sees all.
      """
  ) { (session) throws(Failure) in
    let limit = try session.option("--limit", "a number from 1 to \(Page.maximum)") { text in
      Int(text).flatMap { (1...Page.maximum).contains($0) ? $0 : nil }
    }
    try session.print(AuditList(page: Page(limit: limit))) { entries in
      Columns.lines(entries) { entry in
        [
          "\(entry.at)", "user \(entry.owner)", "\(entry.method)", Describe.optional(entry.target),
          "\(entry.outcome)",
        ]
      }
    }
  }

  static let auditVerify = Command(
    "audit verify",
    summary: "check that the audit log is complete and unchanged",
    details: """
      Each entry is chained to the one before it, and the ends are sealed with a key that is not in the
      database. The check detects changed, removed and inserted entries. Entries older than the retention time
      are deleted. The exit code is 0 if the log is unchanged. You check your own entries, root checks all.
      """
  ) { (session) throws(Failure) in
    let reply = try session.reply(to: AuditVerify())
    let found = try reply.value
    guard found.isSound else {
      throw .local(
        .auditBroken,
        found.brokenAt.map { "the audit log was changed: see entry \($0) and those before it" }
          ?? "the audit log was changed: entries at its end are missing, or its seal is invalid",
        details: reply.json
      )
    }
    try session.output.result(reply) {
      ["\(Describe.count($0.entries, "entry", "entries")), all as recorded"]
    }
  }
}
