internal import ControlAPI
internal import JSONRPC

extension Command {
  static let approve = Command(
    "approve",
    "[ID] [--number N] [--method NAME] [--wait] [--yes]",
    words: 0...1,
    options: [
      Option("--number", value: "N", "the number that is shown where you sign on"),
      Option("--method", value: "NAME", "how you have to be recognized, by RFC 8176: user or pin"),
      Option("--wait", "wait for the next request, and until the answer has reached the platform"),
      Option("--yes", "do not ask before the only pending request is approved"),
    ],
    summary: "approve a sign-on request",
    details: """
      Without ID the only pending request is meant. On a terminal the request is shown; where a number is wanted it
      is asked for, otherwise a request that was not named by its ID is asked about. Your PIN is asked for where it is
      wanted. Without a terminal nothing is asked.
      """
  ) { (session) throws(Failure) in
    let number = try session.option("--number", "a number", MatchedNumber.read)
    let pending = try session.notificationToAnswer()
    try session.confirmApproval(of: pending, number)
    try session.show(.approved, try session.approve(pending, number))
  }
}

extension Session {
  fileprivate func confirmApproval(of pending: Pending, _ number: Int?) throws(Failure) {
    guard let terminal, let notification = pending.notification else { return }
    terminal.show(NotificationText.description(notification))
    guard notification.canBeAnswered else { return }
    // Who names the request or gives its number has looked at it.
    let isMeant = !arguments.words.isEmpty || number != nil || notification.wantsNumber
    guard !isMeant, !arguments.has("--yes") else { return }
    guard try terminal.confirm("approve this request?") else {
      throw .local(.cancelled, "not approved", hint: "\"authctl deny \(pending.id)\" denies it")
    }
  }

  fileprivate func approve(_ pending: Pending, _ given: Int?) throws(Failure) -> Reply<NotificationResult> {
    var number = given
    if number == nil, pending.wantsNumber { number = try askNumber() }
    while true {
      let given = number
      do {
        return try verified { (claim) throws(Failure) in
          let approve = NotificationApprove(
            notification: pending.id,
            authenticationMethod: arguments["--method"] ?? AuthenticationMethod.standard,
            number: given,
            presence: claim
          )
          return try decide(approve, about: pending.id)
        }
      } catch {
        guard case .refused(let refusal) = error else { throw error }
        guard let terminal, pending.notification?.wantsNumber == true, refusal.wantsAnotherNumber else {
          throw .refused(advised(refusal, number))
        }
        if refusal.isOne(of: .numberMismatch) { terminal.show([refusal.message]) }
        // Nobody answered: the request stays pending, and that a number is wanted is the reason.
        guard let next = try askNumber() else { throw error }
        number = next
      }
    }
  }

  /// Asks until something is a number; `nil` without a terminal or at the end of input.
  private func askNumber() throws(Failure) -> Int? {
    while let answer = try terminal?.ask("number shown where you sign on") {
      if let number = MatchedNumber.read(answer.filter { $0 != " " }) { return number }
      terminal?.show(["that is no number"])
    }
    return nil
  }

  /// A refusal with what the caller gave wrong, if it was one thing.
  private func advised(_ refusal: Refusal, _ number: Int?) -> Refusal {
    guard refusal.isOne(of: .invalidParams) else { return refusal }
    var refusal = refusal
    refusal.advice =
      switch (arguments.has("--method"), number) {
      case (true, nil):
        "a name of RFC 8176: only user is said without making sure of you, and pin with your PIN"
      case (false, .some):
        "this request wants no number: the one that you see belongs to another sign-on"
      default: nil
      }
    return refusal
  }
}

extension Refusal {
  fileprivate var wantsAnotherNumber: Bool {
    isOne(of: .numberRequired) || (isOne(of: .numberMismatch) && triesLeft != 0)
  }
}

extension MatchedNumber {
  fileprivate static func read(_ text: String) -> Int? { Int(text).flatMap { range.contains($0) ? $0 : nil } }
}
