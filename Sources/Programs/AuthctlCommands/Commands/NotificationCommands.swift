internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Usage

extension Command {
  static let notifications = Command(
    "notifications",
    "[--all] [--limit N] [--watch]",
    options: [
      Option("--limit", takes: "N", "list up to N requests (default: 50, maximum: 200)"),
      Option("--all", "list answered and ended requests too, newest first"),
      Option("--watch", "print every change until Ctrl-C"),
    ],
    summary: "list the pending sign-on requests",
    details: """
      One line each: text, place and application, age, state, beginning of the id. --watch prints the list
      first. With --json each request is a line {"topic":"notification","payload":{…}}, and each change is
      such a line with its sequence number.
      """,
    examples: ["authctl notifications --watch"]
  ) { (session) throws(Failure) in
    let watches = session.arguments.has("--watch")
    _ = try session.limit
    if watches { try session.daemon().subscribe(to: [.notification]) }
    let state: NotificationObject.State? = session.arguments.has("--all") ? nil : .pending
    let list = NotificationList(state: state, page: Page(limit: try session.limit))
    if watches { return try session.watch(from: try session.call(list)) }
    var isEmpty = false
    try session.print(list, none: "no request is pending") { notifications in
      isEmpty = notifications.isEmpty
      return Columns.lines(notifications.map(NotificationText.row))
    }
    if isEmpty, try session.receivesNoRequests() { session.output.note(Session.noRequests) }
  }

  static let notificationsProcess = Command(
    "notifications process",
    "[FILE|-]",
    words: 0...1,
    summary: "submit a push message that arrived by another channel",
    details: "Reads the message from FILE or standard input: a JSON object, or the text as it arrived."
  ) { (session) throws(Failure) in
    let bytes = try InputFile(session.arguments.words.first ?? "-").bytes
    try session.print(NotificationProcess(payload: try payload(bytes))) { notification in
      [notification.map(NotificationText.line) ?? "nothing to do"]
    }
  }
}

extension Session {
  fileprivate func watch(from list: [NotificationObject]) throws(Failure) {
    // The oldest request comes first, as in the events that follow.
    for notification in list.reversed() {
      try output.result(Reply(Standing(notification: notification))) { _ in
        [NotificationText.line(notification)]
      }
    }
    if output.showsProgress { output.note("watching, until Ctrl-C") }
    try watchChanges {
      $0.topic == EventTopic.notification.rawValue || $0.saysLost ? [EventText.line($0)] : []
    }
  }
}

/// A request that was pending at the start, in the form of the events that follow.
private struct Standing: ControlObject {
  let notification: NotificationObject

  static let shape = Shape(
    { Standing(notification: $1) },
    .required("topic", \.topic, "the kind of object"),
    .required("payload", \.notification, "its current state")
  )

  private var topic: EventTopic { .notification }
}

/// Returns a push message: a JSON object, or the text without the line feeds at its end.
private func payload(_ bytes: [UInt8]) throws(Failure) -> JSON {
  if let object = try? JSON(parsing: bytes), object.object != nil { return object }
  guard var text = String(validating: bytes, as: UTF8.self) else {
    throw .local(.usage, "the message is not UTF-8")
  }
  while let last = text.last, last.isNewline { text.removeLast() }
  return .string(text)
}
