internal import ControlAPI
internal import ControlClient

extension Command {
  static let watch = Command(
    "watch",
    "[--topic TOPIC]…",
    options: [
      Option(
        "--topic",
        value: "TOPIC",
        repeats: true,
        choices: EventTopic.allCases.map(\.rawValue),
        "notification, pairing, authentication, account or service, instead of all"
      )
    ],
    summary: "print what changes, until Ctrl-C",
    details: """
      One line for each change of your own things: its topic and how the thing stands now. With --json each is the
      event as it came, with its sequence number. When the daemon goes away this ends too, with exit code 3.
      """
  ) { (session) throws(Failure) in
    let topics = try session.options("--topic", "a topic that \"authctl help watch\" names") {
      EventTopic(rawValue: $0)
    }
    try session.daemon().subscribe(to: Set(topics))
    if session.output.showsProgress { session.output.note("watching, until Ctrl-C") }
    try session.watchChanges { ["\($0.topic)  \(EventText.line($0))"] }
  }
}
