internal import ControlAPI
internal import ControlClient

extension Command {
  static let metrics = Command(
    "metrics",
    summary: "show how much the daemon does and takes",
    details: """
      Requests are counted since the daemon started. Notifications are those of everybody: that wait, and that
      were ever stored. Only root may ask.
      """
  ) { (session) throws(Failure) in
    try session.print(ServiceMetrics()) { figures in
      let (requests, notifications) = (figures.requests, figures.notifications)
      return Columns.lines([
        ["connections", "\(figures.connections)"],
        ["requests", "\(requests.total), \(requests.errors) failed"],
        ["owners", "\(figures.owners)"],
        ["notifications", "\(notifications.pending) pending, \(notifications.total) ever"],
        ["memory", Describe.size(figures.residentBytes)],
        ["open files", "\(figures.openFiles)"],
        ["database", Describe.size(figures.databaseBytes)],
      ])
    }
  }
}
