internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Usage

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
      """,
    examples: ["authctl notifications --watch"]
  ) { (session) throws(Failure) in
    let watches = session.arguments.has("--watch")
    if watches { try session.daemon().subscribe(to: [.notification]) }
    let list = NotificationList(state: session.arguments.has("--all") ? nil : .pending)
    if watches { return try session.watch(from: try session.call(list)) }
    try session.print(list, none: "no request is pending") {
      Columns.lines($0.map(NotificationText.row))
    }
  }

  static let notificationsProcess = Command(
    "notifications process",
    "[FILE|-]",
    words: 0...1,
    summary: "hand in a push message that came another way",
    details: "The message is read from FILE or standard input: a JSON object, or the text as it came."
  ) { (session) throws(Failure) in
    let bytes = try InputFile(session.arguments.words.first ?? "-").bytes
    try session.print(NotificationProcess(payload: try payload(bytes))) { notification in
      [notification.map(NotificationText.line) ?? "nothing to do"]
    }
  }
}

extension Session {
  fileprivate func watch(from list: [NotificationObject]) throws(Failure) {
    // The oldest first, as changes come.
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

/// What is there before anything changes, in the form of the events that follow.
private struct Standing: ControlObject {
  let notification: NotificationObject

  static let shape = Shape(
    { Standing(notification: $1) },
    .required("topic", \.topic, "what it is"),
    .required("payload", \.notification, "how it stands")
  )

  private var topic: EventTopic { .notification }
}

/// A message of a transport: an object, or a text without the line feeds that files end with.
private func payload(_ bytes: [UInt8]) throws(Failure) -> JSON {
  if let object = try? JSON(parsing: bytes), object.object != nil { return object }
  guard var text = String(validating: bytes, as: UTF8.self) else {
    throw .local(.usage, "the message is not UTF-8")
  }
  while let last = text.last, last.isNewline { text.removeLast() }
  return .string(text)
}
