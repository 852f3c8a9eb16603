internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import Usage

extension Command {
  static let approve = Command(
    "approve",
    "[ID] [--number N] [--method NAME] [--wait] [--yes]",
    words: 0...1,
    options: [
      Option("--number", takes: "N", "approve with the number N that is shown where you sign on"),
      Option("--method", takes: "NAME", "report how you were verified (RFC 8176): user (default) or pin"),
      Option("--wait", "wait for the next request, and until your answer has reached the platform"),
      Option("--yes", "approve the only pending request without asking"),
    ],
    operands: .pendingRequests,
    summary: "approve a sign-on request",
    details: """
      ID may be the beginning of an id. Without ID, the command takes the only pending request; on a terminal
      you choose among several. There it shows the request and asks for its number, if it requires one, or for
      your decision, unless you gave ID. You can also deny the request, report it as not yours, or leave it
      for later, as Ctrl-C does. The question ends if the request is answered on another device. authctl asks
      for your PIN if it is required. Without a terminal it asks nothing: give ID, --number or --yes.
      """,
    examples: [
      "authctl approve --wait --number 42",
      "authctl approve --wait --yes --timeout 60 --json",
    ]
  ) { (session) throws(Failure) in
    let number = try session.option("--number", "a number", MatchedNumber.read)
    let isMeant = !session.arguments.words.isEmpty || number != nil || session.arguments.has("--yes")
    if session.terminal == nil, !isMeant {
      throw session.misused("without a terminal give the request's ID, --number or --yes")
    }
    try session.answer { (pending) throws(Failure) in
      try session.showRequest(pending)
      let prompt = session.prompt(about: pending)
      var answer = RequestAnswer.approve(number: number)
      // With an id, `--number` or `--yes` the user has already decided; only a missing number is asked for.
      if let prompt, !isMeant || (prompt.wantsNumber && number == nil) {
        guard let given = try prompt.answer() else { throw Session.undecided(pending) }
        answer = given
      }
      while let next = try session.settle(pending, answer, prompt) { answer = next }
    }
  }
}

extension Session {
  /// Carries out the answer to a request.
  ///
  /// Returns the next answer after a wrong number, else `nil`.
  func settle(
    _ pending: Pending,
    _ answer: RequestAnswer,
    _ prompt: RequestPrompt?
  ) throws(Failure) -> RequestAnswer? {
    switch answer {
    case .later:
      throw .local(.cancelled, "not approved", hint: "\"authctl deny \(pending.id)\" denies it")
    case .deny(let reason):
      let deny = NotificationDeny(notification: pending.id, reason: reason)
      try show(.denied, try decide(deny, about: pending.id))
    case .approve(let number):
      do { try show(.approved, try approve(pending, number)) } catch {
        guard case .refused(let refusal) = error else { throw error }
        guard let prompt, prompt.wantsNumber, refusal.wantsAnotherNumber else {
          throw .refused(advised(refusal, number))
        }
        if refusal.isOne(of: .numberMismatch) { terminal?.show([refusal.message]) }
        guard let next = try prompt.answer() else { throw Self.undecided(pending) }
        return next
      }
    }
    return nil
  }

  /// The failure at the end of input, which is no decision.
  static func undecided(_ pending: Pending) -> Failure {
    .local(
      .cancelled,
      "neither approved nor denied: the request is still pending",
      hint: "\"authctl approve \(pending.id)\" asks again"
    )
  }

  private func approve(_ pending: Pending, _ number: Int?) throws(Failure) -> Reply<NotificationResult> {
    try verified { (claim) throws(Failure) in
      let approve = NotificationApprove(
        notification: pending.id,
        authenticationMethod: arguments["--method"] ?? AuthenticationMethod.standard,
        number: number,
        presence: claim
      )
      return try decide(approve, about: pending.id)
    }
  }

  /// Returns the refusal, with a hint about the wrong option if only one option can be wrong.
  private func advised(_ refusal: DaemonError, _ number: Int?) -> DaemonError {
    guard refusal.isOne(of: .invalidParams) else { return refusal }
    var refusal = refusal
    refusal.advice =
      switch (arguments.has("--method"), number) {
      case (true, nil):
        "--method accepts user, which needs no verification, and pin, which needs your PIN (RFC 8176)"
      case (false, .some):
        "this request requires no number: the one that you see belongs to another sign-on"
      default: nil
      }
    return refusal
  }
}

extension DaemonError {
  fileprivate var wantsAnotherNumber: Bool {
    isOne(of: .numberRequired) || (isOne(of: .numberMismatch) && triesLeft != 0)
  }
}
