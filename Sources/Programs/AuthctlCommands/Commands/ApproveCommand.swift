internal import JSON

extension Command {
  static let approve = Command(
    "approve",
    "[ID] [--number N] [--method NAME] [--wait] [--yes]",
    words: 0...1,
    options: [
      Option("--number", value: "N", "the number that is shown where you sign on"),
      Option("--method", value: "NAME", "how you were recognized, by RFC 8176: user, fpt, face, …"),
      Option("--wait", "wait for the next request, and until the answer has reached the platform"),
      Option("--yes", "do not ask before the only pending request is approved"),
    ],
    summary: "approve a sign-on request",
    details: """
      Without ID the only pending request is meant. On a terminal the request is shown; where a number is wanted it
      is asked for, otherwise a request that was not named by its ID is asked about. Without a terminal nothing is
      asked.
      """
  ) { (session) throws(Failure) in
    let number = try session.arguments.number
    let notification = try session.notificationToAnswer()
    try session.confirmApproval(of: notification, number)
    let result = try session.approve(notification, number)
    try session.show(.approved, result, of: notification.id)
  }
}

extension Arguments {
  fileprivate var number: Int? {
    get throws(Failure) {
      guard let text = self["--number"] else { return nil }
      guard let number = Int(text), number >= 0 else {
        throw Command.approve.misused("--number takes a number, not \"\(text)\"")
      }
      return number
    }
  }
}

extension Session {
  fileprivate func confirmApproval(of notification: Notification, _ number: Int?) throws(Failure) {
    guard let terminal else { return }
    terminal.show(notification.description)
    guard notification.canBeAnswered else { return }
    // Who names the request or gives its number has looked at it.
    let isMeant = !arguments.words.isEmpty || number != nil || notification.wantsNumber
    guard !isMeant, !arguments.has("--yes") else { return }
    guard try terminal.confirm("approve this request?") else {
      throw .local(.cancelled, "not approved", hint: "\"authctl deny \(notification.id)\" denies it")
    }
  }

  fileprivate func approve(_ notification: Notification, _ given: Int?) throws(Failure) -> JSON {
    var number = given
    if number == nil, notification.canBeAnswered, notification.wantsNumber { number = try askNumber() }
    while true {
      var params: JSONObject = ["notification": .string(notification.id)]
      params["authenticationMethod"] = arguments["--method"].map { .string($0) }
      if let number { params["number"] = .int(number) }
      do { return try decide("notification.approve", params, about: notification.id) } catch {
        guard let terminal, case .refused(let refusal) = error, notification.wantsNumber,
          refusal.wantsAnotherNumber
        else { throw error }
        if refusal.code == Refusal.numberMismatch { terminal.show(["\(error.message)"]) }
        // Nobody answered: the request stays pending, and that a number is wanted is the reason.
        guard let next = try askNumber() else { throw error }
        number = next
      }
    }
  }

  /// Asks until something is a number; `nil` without a terminal or at the end of input.
  private func askNumber() throws(Failure) -> Int? {
    while let answer = try terminal?.ask("number shown where you sign on") {
      if let number = Int(answer.filter { $0 != " " }), number >= 0 { return number }
      terminal?.show(["that is no number"])
    }
    return nil
  }
}

extension Refusal {
  fileprivate var wantsAnotherNumber: Bool {
    code == Self.numberRequired || (code == Self.numberMismatch && (triesLeft ?? 0) > 0)
  }
}
