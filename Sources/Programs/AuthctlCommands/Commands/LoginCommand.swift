internal import ControlAPI
internal import JSON

extension Command {
  static let login = Command(
    "login",
    "[--signon|--davinci|--journey NAME|--browser|--device] [OPTION]…",
    options: [
      Option("--signon", "with the pages of PingOne, asked here, whatever they are (as without an option)"),
      Option("--davinci", "with a DaVinci flow"),
      Option("--journey", value: "NAME", "with a journey of PingAM"),
      Option("--browser", "with a browser"),
      Option("--device", "with a browser on another device"),
      Option("--issuer", value: "URL", "the issuer to sign on at, instead of the first configured one"),
      Option("--locale", value: "TAG", "the language of the pages, instead of the environment's: en-GB"),
      Option("--acr", value: "ACR", "which flow or policy is wanted (acr_values)"),
      Option("--force-auth", "sign on anew, or as somebody else, though the server knows you from before"),
      Option("--no-session", "leave nothing here by which the server knows you the next time"),
      Option("--username", value: "NAME", "who signs on, also if the server knows somebody else from before"),
      Option(
        "--set",
        value: "KEY=VALUE",
        repeats: true,
        "the answer to a field that is no secret, by its key or label"
      ),
      Option("--answers", value: "FILE", "a file of yours alone with an object of answers by key or label"),
      Option("--yes", "pair without asking"),
    ],
    summary: "sign on, and pair this machine if the account asks for it",
    details: """
      Each field is asked for on the terminal; Enter takes what stands in brackets. Where a page offers other ways,
      as to register or a forgotten password, they are listed with numbers: :1 instead of any answer goes the first
      way, and ::1 is the answer ":1". While a step waits, for a telephone or a browser, the number of another way
      or the address that the browser ended at can be typed. Ctrl-C ends the sign-on, here and at the server.

      If standard input is no terminal, each of its lines answers one step that wants more than --set and --answers
      give: {"values":{"username":"ann","password":"…"},"action":"submit"}, where values is what is asked by key and
      action is needed only where there are several; or {"uri":"…"} with the address that a browser ended at. While
      a step waits a line is read if it is such an address or if it names what only this step has. With --json each
      step is printed as a line before its answer is read, and at the end the result of the pairing, or the last
      step if nothing was paired. Without --yes the pairing waits.

      Passwords are never taken from the command line or the environment. A choice takes a number of the list, a
      label or a value; several go with commas between; a telephone number is "GB 7700 900123".
      """
  ) { (session) throws(Failure) in
    let dialogue = SignOnDialogue(session, try session.signOnAnswers)
    let reply = try dialogue.run(try session.signOn)
    guard let pairing = try reply.value.pairing ?? nil else {
      return try session.output.result(reply) {
        ["signed on as \(Describe.user($0.user)): nothing to pair"]
      }
    }
    try session.decide(pairing, after: reply)
  }
}

extension Session {
  fileprivate var signOn: LoginStart {
    get throws(Failure) {
      var parameters = JSONObject()
      parameters["acr_values"] = arguments["--acr"].map { .string($0) }
      parameters["login_hint"] = arguments["--username"].map { .string($0) }
      return LoginStart(
        method: try one(of: "--browser", "--davinci", "--device", "--journey", "--signon")
          .flatMap { Self.methods[$0] } ?? .signon,
        issuer: arguments["--issuer"],
        journey: arguments["--journey"],
        forcesAuthentication: arguments.has("--force-auth"),
        wantsNoSession: arguments.has("--no-session"),
        locale: arguments["--locale"] ?? UserLocale.language(),
        parameters: parameters
      )
    }
  }

  private static let methods: [String: LoginMethod] = [
    "--browser": .redirect, "--davinci": .davinci, "--device": .device, "--journey": .journey,
  ]

  fileprivate var signOnAnswers: GivenAnswers {
    get throws(Failure) {
      var texts: [String: String] = [:]
      for text in arguments.all("--set") {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, texts[String(parts[0])] == nil else {
          throw misused("--set takes KEY=VALUE, each key once, not \"\(parts[0])\"")
        }
        texts[String(parts[0])] = String(parts[1])
      }
      var values: JSONObject = [:]
      if let path = arguments["--answers"] {
        let file = try InputFile(path, isPrivate: true)
        guard let object = (try? JSON(parsing: file.bytes))?.object else {
          throw .local(.usage, "\(path) is no JSON object of answers")
        }
        values = object
      }
      return GivenAnswers(texts: texts, values: values, username: arguments["--username"])
    }
  }
}

extension Session {
  fileprivate func decide(_ pairing: PairingRequest, after reply: Reply<Node>) throws(Failure) {
    let id = pairing.id
    let target = PairingText.target(pairing)
    if !arguments.has("--yes") {
      guard let terminal else {
        try output.result(reply) { _ in ["pairing \(id) waits: \(target)"] }
        return output.hint("\"authctl pairings approve \(id)\" pairs this machine")
      }
      terminal.show(["signed on as \(Describe.user(try reply.value.user))"])
      guard try terminal.confirm("pair this machine with \(target)?") else {
        throw .local(
          .cancelled,
          "not paired: pairing \(id) waits",
          hint: "\"authctl pairings approve \(id)\" pairs, \"authctl pairings ignore \(id)\" drops it"
        )
      }
    }
    try pair(PairingApprove(pairing: id))
  }
}
