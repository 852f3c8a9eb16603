internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let deny = Command(
    "deny",
    "[ID|--all] [--report-fraud|--biometrics-rejected] [--wait]",
    words: 0...1,
    options: [
      Option("--all", "deny every pending request"),
      Option("--report-fraud", "report to the organization that the request is not yours"),
      Option("--biometrics-rejected", "report to the organization that biometrics did not recognize you"),
      Option("--wait", "wait for the next request, and until your answer has reached the platform"),
    ],
    operands: .pendingRequests,
    summary: "deny a sign-on request",
    details: """
      ID may be the beginning of an id. Without ID, the command takes the only pending request; on a terminal
      you choose among several. --all asks no question, because a denied sign-on can be requested again.
      """,
    examples: [
      "authctl deny --report-fraud",
      "authctl deny --all",
    ]
  ) { (session) throws(Failure) in
    let option = try session.one(of: "--report-fraud", "--biometrics-rejected")
    let reason = option.flatMap { reasons[$0] } ?? "NONE"
    guard !session.arguments.has("--all") else { return try session.denyAll(reason) }
    try session.answer { (pending) throws(Failure) in
      try session.showRequest(pending)
      let deny = NotificationDeny(notification: pending.id, reason: reason)
      try session.show(.denied, try session.decide(deny, about: pending.id))
    }
  }
}

private let reasons = ["--report-fraud": "REPORT_FRAUD", "--biometrics-rejected": "BIOMETRICS_REJECTED"]

extension Session {
  /// Denies all pending requests one after another; an error of one does not stop the others.
  fileprivate func denyAll(_ reason: String) throws(Failure) {
    guard arguments.words.isEmpty, !arguments.has("--wait") else {
      throw misused("--all cannot be combined with ID or --wait")
    }
    let pending = try answerable()
    guard !pending.isEmpty else {
      throw .local(
        .notFound,
        "no request is pending",
        hint: "\"authctl notifications --all\" lists ended requests too"
      )
    }
    var first: Failure?
    for notification in pending {
      do {
        let deny = NotificationDeny(notification: notification.id, reason: reason)
        try show(.denied, try decide(deny, about: notification.id))
      } catch {
        if case .interrupted = error { throw error }
        if first != nil { output.report(error) }
        first = first ?? error
      }
    }
    if let first { throw first }
  }
}
