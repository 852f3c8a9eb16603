internal import ControlAPI
internal import ControlClient
internal import Time
internal import Usage

extension Command {
  static let audit = Command(
    "audit",
    "[--limit N] [--since TIME] [--user USER]",
    options: [
      Option("--limit", takes: "N", "list up to N entries (default: 50, maximum: 200)"), PastTime.option,
      Option("--user", takes: "USER", "list entries of USER only: a name or a uid"),
    ],
    summary: "list the audit log, newest entry first",
    details: """
      One line each: time, user, method, id of the object, and outcome: ok, or the reason of an error or a
      denial. Passcodes are counted by account: COUNT_3 means three since the previous such entry, at most an
      hour earlier. Methods that begin with "daemon." are actions of the daemon itself. You see your own
      entries, root sees all.
      """
  ) { (session) throws(Failure) in
    let limit = try session.limit
    let (since, user) = (try session.since, try session.userOption)
    let reply: Reply<[AuditEntry]>
    if since == nil, user == nil {
      reply = try session.reply(to: AuditList(page: Page(limit: limit)))
    } else {
      let wanted = { (entry: AuditEntry) in user.map { $0 == entry.owner } ?? true }
      reply = Reply(try session.entries(since: since, atMost: limit, wanted), of: AuditList.self)
    }
    try session.output.result(reply, none: "there is no entry") { entries in
      let rows = entries.map { entry in
        [
          "\(entry.at)", SystemUser.name(of: entry.owner), "\(entry.method)", Describe.optional(entry.target),
          "\(entry.outcome)",
        ]
      }
      return Columns.lines(rows, under: ["TIME", "USER", "METHOD", "OBJECT", "OUTCOME"])
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

extension Session {
  /// The value of `--limit`; `nil` if it is not given.
  var limit: Int? {
    get throws(Failure) {
      try option("--limit", "a number from 1 to \(Page.maximum)") { text in
        Int(text).flatMap { (1...Page.maximum).contains($0) ? $0 : nil }
      }
    }
  }

  /// Returns the wanted entries, newest first; reads as many pages as are necessary.
  fileprivate func entries(
    since: Timestamp?,
    atMost limit: Int?,
    _ isWanted: (AuditEntry) -> Bool
  ) throws(Failure) -> [AuditEntry] {
    let count = limit ?? Page().limit
    var (found, last): ([AuditEntry], String?) = ([], nil)
    while true {
      let page = try call(AuditList(page: Page(limit: Page.maximum, before: last)))
      let recent = page.filter { entry in since.map { entry.at >= $0 } ?? true }
      found += recent.filter(isWanted)
      guard found.count < count, page.count == Page.maximum, recent.count == page.count else {
        return Array(found.prefix(count))
      }
      last = page.last?.id
    }
  }
}
