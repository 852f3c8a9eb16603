internal import ControlAPI
internal import ControlClient

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
    operands: .pendingRequests,
    summary: "deny a sign-on request",
    details: "Without ID the only pending request is meant."
  ) { (session) throws(Failure) in
    let option = try session.one(of: "--report-fraud", "--biometrics-rejected")
    let reason = ["--report-fraud": "REPORT_FRAUD", "--biometrics-rejected": "BIOMETRICS_REJECTED"]
    let pending = try session.notificationToAnswer()
    try session.showRequest(pending)
    let deny = NotificationDeny(notification: pending.id, reason: option.flatMap { reason[$0] } ?? "NONE")
    try session.show(.denied, try session.decide(deny, about: pending.id))
  }
}
