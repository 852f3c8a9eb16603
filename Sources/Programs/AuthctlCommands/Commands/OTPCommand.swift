internal import JSON

extension Command {
  static let otp = Command(
    "otp",
    "[ACCOUNT] [--next] [--wait] [-q]",
    words: 0...1,
    options: [
      Option("--next", "print the passcode of the next window instead"),
      Option("--wait", "wait for a fresh passcode if this one ends within 5 seconds"),
      Option("--quiet", short: "-q", "print nothing but the passcode on a terminal too"),
    ],
    summary: "print a one-time passcode",
    details: """
      ACCOUNT is an id of "authctl accounts" or a name that only one account has; the only account needs none.
      Standard output gets the passcode alone; on a terminal standard error says how long it is valid.
      """
  ) { (session) throws(Failure) in
    var passcode = try session.passcode()
    if session.arguments.has("--wait") {
      let deadline = session.waitDeadline
      while let seconds = passcode["remaining"]?.int, seconds < 5 {
        guard !deadline.hasPassed else { throw .local(.timedOut, "no fresh passcode came in time") }
        // `remaining` is rounded down: the last moments of a window are asked through.
        try session.waiter.pause(until: .after(seconds > 0 ? .seconds(seconds) : .milliseconds(100)))
        passcode = try session.passcode()
      }
    }
    try session.show(passcode: passcode)
  }
}

extension Session {
  fileprivate func passcode() throws(Failure) -> JSON {
    var params: JSONObject = [:]
    if arguments.has("--next") { params["next"] = true }
    guard let name = arguments.words.first else { return try call("passcode.get", params) }
    params["account"] = .string(name)
    do { return try call("passcode.get", params) } catch {
      guard case .refused(let refusal) = error, refusal.code == Refusal.notFound else { throw error }
      params["account"] = .string(try account(named: name))
    }
    return try call("passcode.get", params)
  }

  fileprivate func show(passcode: JSON) throws(Failure) {
    let wanted = arguments.has("--next") ? passcode["next"] : passcode
    try output.result(passcode) { _ in [Describe.value(wanted?["passcode"])] }
    guard !output.asJSON, output.isTerminal, !arguments.has("--quiet") else { return }
    if let seconds = passcode["remaining"]?.int {
      output.note(arguments.has("--next") ? "valid in \(seconds) s" : "valid for \(seconds) s")
    }
  }
}
