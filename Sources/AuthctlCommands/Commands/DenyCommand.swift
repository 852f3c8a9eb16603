internal import JSON

extension Command {
  static let deny = Command(
    "deny",
    "[ID] [--report-fraud] [--wait]",
    words: 0...1,
    options: [
      Option("--report-fraud", "tell the organisation that somebody else asked for it"),
      Option("--wait", "wait for the next request, and until the answer has reached the platform"),
    ],
    summary: "deny a sign-on request",
    details: "Without ID the only pending request is meant."
  ) { (session) throws(Failure) in
    let notification = try session.notificationToAnswer()
    session.terminal?.show(notification.description)
    var params: JSONObject = ["notification": .string(notification.id)]
    if session.arguments.has("--report-fraud") { params["reason"] = "REPORT_FRAUD" }
    try session.show(.denied, try session.call("notification.deny", params), of: notification.id)
  }
}
