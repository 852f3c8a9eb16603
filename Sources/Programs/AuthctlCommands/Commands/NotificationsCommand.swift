internal import JSON

extension Command {
  static let notifications = Command(
    "notifications",
    "[--all] [--watch]",
    options: [
      Option("--all", "list those that are answered or over too, the newest first"),
      Option("--watch", "print every change until Ctrl-C"),
    ],
    summary: "list the sign-on requests that wait for your answer",
    details: """
      One line each: id, state, end, text. --watch begins with those that the list would show; with --json each is
      a line {"topic":"notification","payload":{…}}, and each change is one with its sequence number.
      """
  ) { (session) throws(Failure) in
    let watches = session.arguments.has("--watch")
    if watches { try session.daemon().subscribe(to: ["notification"]) }
    let params: JSONObject = session.arguments.has("--all") ? [:] : ["state": "pending"]
    let result = try session.call("notification.list", params)
    if watches { return try session.watch(from: result["notifications"]?.array ?? []) }
    try session.output.result(result) {
      Columns.lines(($0["notifications"]?.array ?? []).map { Notification(json: $0).row })
    }
    if !session.output.asJSON, result["notifications"]?.array?.isEmpty ?? true {
      session.output.note("no request is pending")
    }
  }
}

extension Session {
  fileprivate func watch(from list: [JSON]) throws(Failure) {
    // The oldest first, as changes come.
    for notification in list.reversed() {
      try output.result(["topic": "notification", "payload": notification]) { _ in
        [Notification(json: notification).row.joined(separator: "  ")]
      }
    }
    if output.showsProgress { output.note("watching, until Ctrl-C") }
    try watchChanges { ["notification", "lost"].contains($0.topic) ? [EventText.line($0)] : [] }
  }
}
