internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let audit = Command(
    "audit",
    "[--limit N]",
    options: [Option("--limit", takes: "N", "list so many, 200 at most, instead of 50")],
    summary: "list what was done, the newest first",
    details: """
      One line each: when, the user, the method, the id of what it was about, and how it ended: ok, the reason of
      an error or of a denial. Methods that begin with "daemon." are what the daemon did by itself. You see your
      own, root sees everybody's.
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
    summary: "tell whether the list of what was done is whole and unchanged",
    details: """
      Each entry is tied to the one before it, and the ends are sealed with a key that is not in the database: what
      was changed, removed or put in by somebody else shows. Entries that were kept long enough go with their time.
      The exit code is 0 if everything is as it was recorded. You verify your own entries, root everybody's.
      """
  ) { (session) throws(Failure) in
    let reply = try session.reply(to: AuditVerify())
    let found = try reply.value
    guard found.isSound else {
      throw .local(
        .auditBroken,
        found.brokenAt.map { "the audit was changed: see the entry \($0) and those before it" }
          ?? "the audit was changed: entries at its end are missing, or its seal is not right",
        details: reply.json
      )
    }
    try session.output.result(reply) {
      ["\(Describe.count($0.entries, "entry", "entries")), all as recorded"]
    }
  }
}
