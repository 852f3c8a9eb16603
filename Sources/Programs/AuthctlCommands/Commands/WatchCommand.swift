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
        "print only TOPIC: notification, pairing, authentication, account or service (default: all)"
      ),
      Option("--exec", takes: "PROGRAM", "run PROGRAM for each pending request"),
      Option("--print", "do not ask on a terminal"),
    ],
    summary: "print changes and ask about each request, until Ctrl-C",
    details: """
      One line for each change of your objects: the topic and the object's new state. On a terminal, here or
      over ssh, authctl instead shows each pending request, with the time that is left, and asks for your
      decision, one after the other. It does not ask again about a request that you leave for later. With
      --json each line is the event as received, with its sequence number, and authctl asks nothing. If the daemon closes the connection, the
      command ends with exit code 3.

      --exec runs PROGRAM for each request, without a shell and without arguments, four at most at once. Its
      environment has MFAD_SOCKET and, from the request, MFAD_REQUEST_ID, _TITLE, _BODY, _ACCOUNT, _EXPIRES_AT
      and _WANTS_NUMBER (yes or no), so that it can run "authctl approve $MFAD_REQUEST_ID". The values contain
      text of other people: scripts must quote them.
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
    if session.output.showsProgress {
      if try session.receivesNoRequests() { session.output.note(Session.noRequests) }
      session.output.note("watching, until Ctrl-C")
    }
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
