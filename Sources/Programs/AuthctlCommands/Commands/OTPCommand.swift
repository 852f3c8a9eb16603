internal import ControlAPI
internal import ControlClient

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
    operands: .accounts,
    summary: "print a one-time passcode",
    details: """
      ACCOUNT is an id of "authctl accounts" or a name that only one account has; the only account needs none.
      Standard output gets the passcode alone; on a terminal standard error says how long it is valid.
      """
  ) { (session) throws(Failure) in
    var reply = try session.passcode()
    if session.arguments.has("--wait") {
      let deadline = session.waitDeadline
      while let seconds = try reply.value.timed?.remaining, seconds < 5 {
        guard !deadline.hasPassed else { throw .local(.timedOut, "no fresh passcode came in time") }
        // The seconds are rounded down: the last moments of a window are asked through.
        try session.waiter.pause(until: .after(seconds > 0 ? .seconds(seconds) : .milliseconds(100)))
        reply = try session.passcode()
      }
    }
    try session.show(passcode: reply)
  }
}

extension Session {
  fileprivate func passcode() throws(Failure) -> Reply<Passcode> {
    let wantsNext = arguments.has("--next")
    let name = arguments.words.first
    do { return try passcode(of: name, wantsNext) } catch {
      guard let name, case .refused(let refusal) = error, refusal.isOne(of: .notFound) else { throw error }
      return try passcode(of: try account(named: name), wantsNext)
    }
  }

  private func passcode(of account: String?, _ wantsNext: Bool) throws(Failure) -> Reply<Passcode> {
    try verified { (claim) throws(Failure) in
      try reply(to: PasscodeGet(account: account, wantsNext: wantsNext, presence: claim))
    }
  }

  fileprivate func show(passcode reply: Reply<Passcode>) throws(Failure) {
    let wantsNext = arguments.has("--next")
    try output.result(reply) { ["\(wantsNext ? $0.timed?.next?.passcode ?? "-" : $0.code)"] }
    guard !output.asJSON, output.isTerminal, !arguments.has("--quiet") else { return }
    if let seconds = try reply.value.timed?.remaining {
      output.note(wantsNext ? "valid in \(seconds) s" : "valid for \(seconds) s")
    }
  }
}
