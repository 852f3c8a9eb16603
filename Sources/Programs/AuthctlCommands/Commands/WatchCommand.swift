internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let watch = Command(
    "watch",
    "[--topic TOPIC]… [--exec PROGRAM|--print]",
    options: [
      Option(
        "--topic",
        takes: "TOPIC",
        repeats: true,
        choices: EventTopic.allCases.map(\.rawValue),
        "notification, pairing, authentication, account or service, instead of all"
      ),
      Option("--exec", takes: "PROGRAM", "run a program for each request that waits for an answer"),
      Option("--print", "ask nothing on a terminal either"),
    ],
    summary: "print what changes and ask about each request, until Ctrl-C",
    details: """
      One line for each change of your own things: its topic and how the thing stands now. On a terminal, here or over
      ssh, each request that waits is shown and asked about as well, one after the other; what is left for later is not
      asked about again. With --json each line is the event as it came, with its sequence number, and nothing is asked.
      When the daemon goes away this ends too, with exit code 3.

      --exec runs PROGRAM, which no shell looks at and which gets no arguments, for each request, several at once. Its
      environment has MFAD_SOCKET and of the request MFAD_REQUEST_ID, _TITLE, _BODY, _ACCOUNT, _EXPIRES_AT and
      _WANTS_NUMBER (yes or no), so that it can run "authctl approve $MFAD_REQUEST_ID". What others wrote is in these
      values: a script has to quote them.
      """,
    examples: [
      "authctl watch",
      "authctl watch --exec ./notify",
      "authctl watch --topic account --json",
    ]
  ) { (session) throws(Failure) in
    let topics = try session.options("--topic", "a topic that \"authctl help watch\" names") {
      EventTopic(rawValue: $0)
    }
    _ = try session.one(of: "--exec", "--print")
    try session.daemon().subscribe(to: Set(topics))
    if session.output.showsProgress { session.output.note("watching, until Ctrl-C") }
    let hearsRequests = topics.isEmpty || topics.contains(.notification)
    let mayAsk = !session.output.asJSON && !session.arguments.has("--print")
    if hearsRequests, let program = session.arguments["--exec"] {
      return try RequestPrograms(program, session).run()
    }
    if hearsRequests, mayAsk, let terminal = session.terminal {
      return try WatchDialogue(session, terminal).run()
    }
    try session.watchChanges(EventText.changes)
  }
}
