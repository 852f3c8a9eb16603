internal import JSON

extension Command {
  static let unlock: Command = Command(
    "unlock",
    "[--seconds N]",
    options: [Option("--seconds", value: "N", "stay unlocked for so long (300)")],
    summary: "give the PIN of a locked authenticator",
    details: "The PIN is asked for on the terminal, or is one line of standard input."
  ) { (session) throws(Failure) in
    var params: JSONObject = [:]
    if let text = session.arguments["--seconds"] {
      guard let seconds = Int(text), seconds > 0 else {
        throw Command.unlock.misused("--seconds takes a number greater than 0")
      }
      params["seconds"] = .int(seconds)
    }
    _ = try session.daemon()
    guard let pin = try session.ask("PIN", hidden: true), !pin.isEmpty else {
      throw .local(.cancelled, "no PIN was given")
    }
    params["pin"] = .string(pin)
    try session.output.result(try session.call("lock.unlock", params)) {
      ["unlocked until \(Describe.value($0["lockedAt"]))"]
    }
  }
}
