internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Command {
  static let lock = Command(
    "lock",
    summary: "lock your authenticator until you give your PIN",
    details: """
      Until "authctl unlock", passcodes and approvals are unavailable. Requests still arrive, without their
      contents, and can be denied.
      """
  ) { (session) throws(Failure) in
    do throws(Failure) { try session.print(LockNow()) { _ in ["your authenticator is locked"] } } catch {
      throw error.withPINHint
    }
  }

  static let unlock = Command(
    "unlock",
    "[--seconds N]",
    options: [Option("--seconds", takes: "N", "stay unlocked for N seconds (default: 300, maximum: 86400)")],
    summary: "unlock your authenticator with your PIN for a limited time",
    details: """
      authctl asks for the PIN on the terminal or reads one line of standard input. It does not take it from
      the command line, where other users could see it. Ten wrong PINs in a row disable the PIN; then only
      "authctl reset" helps, which erases all your data.
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
      throw error.withPINHint
    }
  }

  static let pinSet = Command(
    "pin set",
    summary: "set a PIN for your authenticator",
    details: """
      The PIN has at least 6 characters and must not be a common one. authctl asks for it twice on the
      terminal or reads one line of standard input. From then on it is required after each start and each
      "authctl lock". A forgotten PIN cannot be recovered: erase all your data with "authctl reset" and enrol
      again.
      """
  ) { (session) throws(Failure) in
    let pin = try session.newPIN()
    try session.print(LockSet(pin: pin)) { _ in ["the PIN is set, and your authenticator is locked"] }
  }

  static let pinChange = Command(
    "pin change",
    summary: "change your PIN",
    details:
      "authctl asks for the old and the new PIN on the terminal, or reads them as two lines of standard input."
  ) { (session) throws(Failure) in
    let current = try session.answer(to: "current PIN", hidden: true)
    let pin = try session.newPIN()
    try session.print(LockSet(pin: pin, current: current), unlockedBy: current, saying: "the PIN is changed")
  }

  static let pinClear = Command(
    "pin clear",
    summary: "remove your PIN",
    details: "authctl asks for the PIN on the terminal, or reads one line of standard input."
  ) { (session) throws(Failure) in
    let current = try session.answer(to: "current PIN", hidden: true)
    try session.print(LockClear(current: current), unlockedBy: current, saying: "the PIN is removed")
  }
}

extension Session {
  /// Returns a new PIN; on the terminal it is typed twice and hidden.
  fileprivate func newPIN() throws(Failure) -> String {
    let pin = try answer(to: "new PIN", hidden: true)
    guard terminal != nil else { return pin }
    guard try answer(to: "new PIN again", hidden: true) == pin else {
      throw .local(.usage, "the two PINs differ", hint: "nothing was changed; type the same PIN twice")
    }
    return pin
  }

  /// Calls a method that requires an unlocked owner, and unlocks the owner for this call if it is locked.
  fileprivate func print<Method: ControlMethod>(
    _ method: Method,
    unlockedBy pin: String,
    saying text: SafeText
  ) throws(Failure) where Method.Result == Nothing {
    do { return try print(method) { _ in [text] } } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .locked) else { throw error.withPINHint }
    }
    try unlocked(by: pin) { () throws(Failure) in try print(method) { _ in [text] } }
  }
}

extension Failure {
  /// The failure, with a hint to set a PIN if there is none.
  fileprivate var withPINHint: Failure {
    withHint("\"authctl pin set\" sets one", on: .notFound)
  }
}
