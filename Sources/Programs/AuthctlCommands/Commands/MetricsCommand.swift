internal import JSON

extension Command {
  static let metrics = Command(
    "metrics",
    summary: "show how much the daemon does and takes",
    details: """
      Requests are counted since the daemon started. Notifications are those of everybody: that wait, and that
      were ever stored. Only root may ask.
      """
  ) { (session) throws(Failure) in
    try session.output.result(try session.call("service.metrics")) { figures in
      let (requests, notifications) = (figures["requests"], figures["notifications"])
      return Columns.lines([
        ["connections", Describe.value(figures["connections"])],
        ["requests", "\(Describe.value(requests?["total"])), \(Describe.value(requests?["errors"])) failed"],
        ["owners", Describe.value(figures["owners"])],
        [
          "notifications",
          "\(Describe.value(notifications?["pending"])) pending, \(Describe.value(notifications?["total"])) ever",
        ],
        ["memory", Describe.size(figures["rssBytes"])],
        ["open files", Describe.value(figures["openFiles"])],
        ["database", Describe.size(figures["databaseBytes"])],
      ])
    }
  }
}
