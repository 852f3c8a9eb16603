internal import ControlAPI

extension Command {
  static let deny = Command(
    "deny",
    "[ID] [--report-fraud|--biometrics-rejected] [--wait]",
    words: 0...1,
    options: [
      Option("--report-fraud", "tell the organization that somebody else asked for it"),
      Option("--biometrics-rejected", "tell the organization that you were not recognized"),
      Option("--wait", "wait for the next request, and until the answer has reached the platform"),
    ],
    summary: "deny a sign-on request",
    details: "Without ID the only pending request is meant."
  ) { (session) throws(Failure) in
    let reason = try session.arguments.denyReason
    let pending = try session.notificationToAnswer()
    if let notification = pending.notification {
      session.terminal?.show(NotificationText.description(notification))
    }
    let deny = reason.map { NotificationDeny(notification: pending.id, reason: $0) }
    try session.show(
      .denied,
      try session.decide(deny ?? NotificationDeny(notification: pending.id), about: pending.id)
    )
  }
}

extension Arguments {
  fileprivate var denyReason: String? {
    get throws(Failure) {
      switch (has("--report-fraud"), has("--biometrics-rejected")) {
      case (false, false): return nil
      case (true, false): return "REPORT_FRAUD"
      case (false, true): return "BIOMETRICS_REJECTED"
      case (true, true):
        throw Command.deny.misused("--report-fraud and --biometrics-rejected exclude each other")
      }
    }
  }
}
