internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Command {
  static let lock = Command(
    "lock",
    summary: "lock what your PIN guards",
    details: """
      Until "authctl unlock", passcodes and approvals are not to be had; requests still come, without what they say,
      and can be denied.
      """
  ) { (session) throws(Failure) in
    do throws(Failure) { try session.print(LockNow()) { _ in ["your authenticator is locked"] } } catch {
      throw error.advisingPIN
    }
  }

  static let unlock = Command(
    "unlock",
    "[--seconds N]",
    options: [Option("--seconds", takes: "N", "how long; 300 if nothing is said, a day at most")],
    summary: "give your PIN, so that what it guards can be used for a while",
    details: """
      The PIN is asked for on the terminal, or is one line of standard input; it is never given on the command line,
      where others could see it. Ten wrong ones in a row disable it until everything of yours is erased.
      """
  ) { (session) throws(Failure) in
    let range = LockUnlock.seconds
    let seconds = try session.option("--seconds", "a number from \(range.lowerBound) to \(range.upperBound)")
    {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
    let pin = try session.answer(to: "PIN", hidden: true)
    let unlock = seconds.map { LockUnlock(pin: pin, seconds: $0) } ?? LockUnlock(pin: pin)
    do throws(Failure) { try session.print(unlock) { ["unlocked until \($0)"] } } catch {
      throw error.advisingPIN
    }
  }

  static let pinSet = Command(
    "pin set",
    summary: "give your authenticator a PIN",
    details: """
      The PIN has 6 characters at least and is none that everybody tries first. It is asked for twice on the terminal,
      or is one line of standard input. From then on it is needed after each start and each "authctl lock". There is
      no way to recover it: who forgets it begins anew with "authctl reset".
      """
  ) { (session) throws(Failure) in
    let pin = try session.newPIN()
    try session.print(LockSet(pin: pin)) { _ in ["the PIN is set, and your authenticator is locked"] }
  }

  static let pinChange = Command(
    "pin change",
    summary: "take another PIN",
    details:
      "Both are asked for on the terminal, or are two lines of standard input: the old one, then the new one."
  ) { (session) throws(Failure) in
    let current = try session.answer(to: "current PIN", hidden: true)
    let pin = try session.newPIN()
    try session.print(LockSet(pin: pin, current: current), unlockedBy: current, saying: "the PIN is changed")
  }

  static let pinClear = Command(
    "pin clear",
    summary: "do without a PIN",
    details: "It is asked for on the terminal, or is one line of standard input."
  ) { (session) throws(Failure) in
    let current = try session.answer(to: "current PIN", hidden: true)
    try session.print(LockClear(current: current), unlockedBy: current, saying: "there is no PIN any more")
  }
}

extension Session {
  private static var momentarily: Int { 60 }

  /// A new PIN; on the terminal what was typed twice and nobody saw.
  fileprivate func newPIN() throws(Failure) -> String {
    let pin = try answer(to: "new PIN", hidden: true)
    guard terminal != nil else { return pin }
    guard try answer(to: "new PIN again", hidden: true) == pin else {
      throw .local(.usage, "the two are not the same", hint: "nothing was changed; type it twice alike")
    }
    return pin
  }

  /// Calls what needs the PIN and an owner who is unlocked; who is not is locked again afterwards.
  fileprivate func print<Method: ControlMethod>(
    _ method: Method,
    unlockedBy pin: String,
    saying text: SafeText
  ) throws(Failure) where Method.Result == Nothing {
    do { return try print(method) { _ in [text] } } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .locked) else { throw error.advisingPIN }
    }
    _ = try call(LockUnlock(pin: pin, seconds: Self.momentarily))
    try print(method) { _ in [text] }
    // After the PIN is gone there is nothing to lock.
    _ = try? call(LockNow())
  }
}

extension Failure {
  /// Where there is no PIN, how to give one.
  fileprivate var advisingPIN: Failure {
    advising("\"authctl pin set\" gives your authenticator one", on: .notFound)
  }
}
