internal import ControlAPI

extension Command {
  static let audit = Command(
    "audit",
    "[--limit N]",
    options: [Option("--limit", value: "N", "list so many, 200 at most, instead of 50")],
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
}
