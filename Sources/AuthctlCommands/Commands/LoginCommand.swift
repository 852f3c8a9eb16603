internal import JSON

extension Command {
  static let login = Command(
    "login",
    "[--signon] [--issuer URL] [--username NAME] [--set KEY=VALUE]… [--yes]",
    options: [
      Option("--signon", "sign on with the pages of PingOne, asked here (the only way so far)"),
      Option("--issuer", value: "URL", "the issuer to sign on at, instead of the first configured one"),
      Option("--username", value: "NAME", "the user name, as --set username=NAME"),
      Option("--set", value: "KEY=VALUE", repeats: true, "the answer to a field that is no secret"),
      Option("--yes", "pair without asking"),
    ],
    summary: "sign on, and pair this machine if the account asks for it",
    details: """
      Each field is asked for on the terminal. If standard input is no terminal, it gives the answers, one line
      each in the order of the fields, and after wrong ones further lines; then --yes pairs, and without it the
      pairing waits. Passwords are never taken from the command line or the environment.
      --json prints the result of the pairing, or the last step of the sign-on if nothing was paired.
      """
  ) { (session) throws(Failure) in
    var params: JSONObject = ["method": "signon"]
    if let issuer = session.arguments["--issuer"] { params["issuer"] = .string(issuer) }
    let dialogue = SignOnDialogue(session, answers: try session.arguments.signOnAnswers)
    let node = try dialogue.run(params)
    guard let pairing = node["pairing"], !pairing.isNull else {
      return try session.output.result(node) {
        ["signed on as \(Describe.user($0["user"])): nothing to pair"]
      }
    }
    try session.decide(pairing, after: node)
  }
}

extension Arguments {
  fileprivate var signOnAnswers: [String: String] {
    get throws(Failure) {
      var answers: [String: String] = [:]
      if let name = self["--username"] { answers["username"] = name }
      for text in all("--set") {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, answers[String(parts[0])] == nil else {
          throw Command.login.misused("--set takes KEY=VALUE, each key once, not \"\(parts[0])\"")
        }
        answers[String(parts[0])] = String(parts[1])
      }
      return answers
    }
  }
}

extension Session {
  fileprivate func decide(_ pairing: JSON, after node: JSON) throws(Failure) {
    let id = pairing["id"]?.string ?? ""
    if !arguments.has("--yes") {
      guard let terminal else {
        try output.result(node) { _ in ["pairing \(id) waits: \(PairingText.target(pairing))"] }
        return output.hint("\"authctl pairings approve \(id)\" pairs this machine")
      }
      terminal.show(["signed on as \(Describe.user(node["user"]))"])
      guard try terminal.confirm("pair this machine with \(PairingText.target(pairing))?") else {
        throw .local(
          .cancelled,
          "not paired: pairing \(id) waits",
          hint: "\"authctl pairings approve \(id)\" pairs, \"authctl pairings ignore \(id)\" drops it"
        )
      }
    }
    try showPairing(try call("pairing.approve", ["pairing": .string(id)]))
  }
}
