internal import ControlAPI

extension Command {
  static let watch = Command(
    "watch",
    "[--topic TOPIC]…",
    options: [
      Option(
        "--topic",
        value: "TOPIC",
        repeats: true,
        "notification, pairing, authentication, account or service, instead of all"
      )
    ],
    summary: "print what changes, until Ctrl-C",
    details: """
      One line for each change of your own things: its topic and how the thing stands now. With --json each is the
      event as it came, with its sequence number. When the daemon goes away this ends too, with exit code 3.
      """
  ) { (session) throws(Failure) in
    try session.daemon().subscribe(to: try session.arguments.topics)
    if session.output.showsProgress { session.output.note("watching, until Ctrl-C") }
    try session.watchChanges { ["\($0.topic)  \(EventText.line($0))"] }
  }
}

extension Arguments {
  fileprivate var topics: Set<EventTopic> {
    get throws(Failure) {
      var topics: Set<EventTopic> = []
      for name in all("--topic") {
        guard let topic = EventTopic(rawValue: name) else {
          throw .local(
            .usage,
            "there is no topic \"\(name)\"",
            hint: "the topics are notification, pairing, authentication, account and service"
          )
        }
        topics.insert(topic)
      }
      return topics
    }
  }
}
