internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let otp = Command(
    "otp",
    "[NAME] [--next|--remaining] [--wait|--wait-fresh N] [--copy|--watch] [--yes] [-q]",
    words: 0...1,
    options: [
      Option("--next", "print the passcode of the next window instead"),
      Option("--remaining", "print after the passcode the seconds for which it is valid"),
      Option("--wait", "wait for a new passcode if this one expires within 5 seconds (terminal: default)"),
      Option(
        "--wait-fresh",
        takes: "N",
        "wait for a new passcode if this one expires within N seconds (1 to 119)"
      ),
      Option("--copy", "copy the passcode to the clipboard for 30 seconds instead of printing it"),
      Option("--watch", "show the current passcode until Ctrl-C"),
      Option("--yes", "continue with a counter that was restored from a backup, without asking"),
      Option("--quiet", short: "-q", "print only the passcode, on a terminal too"),
    ],
    operands: .accounts,
    summary: "print a one-time passcode",
    details: """
      NAME is an id of "authctl accounts" or its beginning, the name of an account, or part of its issuer or
      label; case does not matter. If several accounts match, you choose one on the terminal; without a
      terminal they are listed. A single account needs no NAME. Standard output gets only the passcode. On a
      terminal, standard error shows its remaining validity, and authctl waits for a new passcode if this one
      expires within 5 seconds, unless you give --next or --remaining. --copy uses wl-copy or xclip, otherwise
      the terminal (OSC 52).
      """,
    examples: [
      "authctl otp github",
      "authctl otp --copy --wait-fresh 10",
    ]
  ) { (session) throws(Failure) in
    _ = try session.one(of: "--next", "--remaining")
    _ = try session.one(of: "--wait", "--wait-fresh")
    let way = try session.one(of: "--copy", "--watch")
    _ = try session.daemon()
    // A passcode that cannot be shown would use up a counter.
    if way == "--copy" { try session.checkClipboard() } else { try session.output.checkIsOpen() }
    if way == "--watch" { return try session.watchPasscode() }
    let reply = try session.freshPasscode()
    guard session.arguments.has("--copy") else { return try session.show(passcode: reply) }
    if session.output.asJSON { try session.show(passcode: reply) }
    try session.copy(try reply.value.shown(next: session.arguments.has("--next")))
  }
}

extension Session {
  /// Minimum validity of a passcode in seconds.
  private var freshness: Int {
    get throws(Failure) {
      let wanted = try option("--wait-fresh", "a number of seconds from 1 to 119") { text in
        Int(text).flatMap { (1...119).contains($0) ? $0 : nil }
      }
      let waits = arguments.has("--wait") || (output.isTerminal && !output.asJSON && !showsBoth)
      return wanted ?? (waits ? 5 : 0)
    }
  }

  /// True if the user sees more than the current passcode, and so need not wait for a new one.
  private var showsBoth: Bool { arguments.has("--next") || arguments.has("--remaining") }

  fileprivate func freshPasscode() throws(Failure) -> Reply<Passcode> {
    let freshness = try freshness
    var reply = try passcode()
    let deadline = waitDeadline
    while freshness > 0, let timed = try reply.value.timed, timed.remaining < freshness {
      guard freshness < timed.period else {
        throw misused("a passcode of this account is valid for \(timed.period) s only")
      }
      guard !deadline.hasPassed else { throw .local(.timedOut, "no new passcode within the time limit") }
      // `remaining` is rounded down, so poll while it is 0, in the last second of the window.
      let left = timed.remaining
      if left > 0, output.showsProgress, output.isTerminal {
        output.note("waiting \(left) s for a new passcode")
      }
      try waiter.pause(until: .after(left > 0 ? .seconds(left) : .milliseconds(100)))
      reply = try passcode(of: timed.account)
    }
    return reply
  }

  /// Returns the passcode of the named or chosen account, and the next one too with `wantsNext` or `--next`.
  func passcode(wantsNext: Bool = false) throws(Failure) -> Reply<Passcode> {
    let name = arguments.words.first
    do { return try passcode(of: name, wantsNext: wantsNext) } catch {
      guard case .refused(let refusal) = error else { throw error }
      if let name, refusal.isOne(of: .notFound) {
        return try passcode(of: try account(named: name).id, wantsNext: wantsNext)
      }
      guard name == nil, refusal.isOne(of: .ambiguous), !output.asJSON else { throw error }
      let fitting = Set(refusal.accounts.map(\.text))
      let accounts = try namedAccounts().filter { fitting.contains($0.id) }
      guard let first = accounts.first else { throw error }
      let chosen = try only(first, of: accounts, "there are several accounts")
      return try passcode(of: chosen.id, wantsNext: wantsNext)
    }
  }

  func passcode(of account: String?, wantsNext: Bool = false) throws(Failure) -> Reply<Passcode> {
    let wantsNext = wantsNext || arguments.has("--next")
    do { return try passcode(of: account, wantsNext, isConfirmed: arguments.has("--yes")) } catch {
      guard case .refused(var refusal) = error, refusal.isAbout(parameter: "confirm") else { throw error }
      guard terminal != nil else {
        refusal.advice = "--yes continues with it"
        throw .refused(refusal)
      }
      try confirm(
        "the counter is from a backup, and later passcodes may have been used; continue with it?",
        orElse: "no passcode was used"
      )
      return try passcode(of: account, wantsNext, isConfirmed: true)
    }
  }

  private func passcode(
    of account: String?,
    _ wantsNext: Bool,
    isConfirmed: Bool
  ) throws(Failure) -> Reply<Passcode> {
    try verified { (claim) throws(Failure) in
      let request = PasscodeGet(
        account: account,
        wantsNext: wantsNext,
        isConfirmed: isConfirmed,
        presence: claim
      )
      return try reply(to: request)
    }
  }

  fileprivate func show(passcode reply: Reply<Passcode>) throws(Failure) {
    let wantsNext = arguments.has("--next")
    let showsRemaining = arguments.has("--remaining")
    try output.result(reply) { passcode in
      let left: SafeText = passcode.timed.map { "  \($0.remaining)" } ?? "  -"
      return ["\(passcode.shown(next: wantsNext))\(showsRemaining ? left : "")"]
    }
    guard !output.asJSON, output.isTerminal, !arguments.has("--quiet"), !showsRemaining else { return }
    if let seconds = try reply.value.timed?.remaining {
      output.note(wantsNext ? "valid in \(seconds) s" : "valid for \(seconds) s")
    }
  }
}

extension Passcode {
  fileprivate func shown(next: Bool) -> String { next ? timed?.next?.passcode ?? "-" : code }
}

extension Session {
  /// Shows the current passcode: on a terminal in one line that is updated, else one line for each passcode.
  fileprivate func watchPasscode() throws(Failure) {
    let deadline = watchDeadline
    var reply = try passcode(of: try timedAccount())
    let isLive = output.isTerminal && !output.asJSON
    // After a signal, the next output begins on a new line.
    if isLive { waiter.catchSignals() }
    defer { if isLive { output.restart("\n") } }
    while true {
      guard let timed = try reply.value.timed else { throw Self.isValidOnce }
      if !isLive { try output.result(reply) { ["\($0.code)"] } }
      var left = timed.remaining
      while true {
        if isLive { output.restart("\r\(timed.current.passcode)  \(left) s \u{1B}[K") }
        guard !deadline.hasPassed else {
          throw .watched
        }
        try waiter.pause(until: deadline.orAfter(left > 0 ? .seconds(1) : .milliseconds(100)))
        if left <= 0 { break }
        left -= 1
      }
      let before = timed.current.validUntil
      repeat {
        reply = try passcode(of: timed.account)
        guard try reply.value.timed?.current.validUntil == before else { break }
        try waiter.pause(until: .after(.milliseconds(100)))
      } while !deadline.hasPassed
    }
  }

  /// Returns the id of the named or chosen account, which must have time-based passcodes.
  ///
  /// Asks for the next passcode too, because the daemon refuses that for a counter without using it.
  private func timedAccount() throws(Failure) -> String? {
    do { return try passcode(wantsNext: true).value.timed?.account } catch {
      guard case .refused(let refusal) = error, refusal.isAbout(parameter: "next") else { throw error }
      throw Self.isValidOnce
    }
  }

  private static var isValidOnce: Failure {
    .local(
      .usage,
      "a passcode of this account is valid once, and --watch would use it up",
      hint: "run the command without --watch"
    )
  }
}
