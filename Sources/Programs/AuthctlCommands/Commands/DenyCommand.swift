internal import JSON

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
    let notification = try session.notificationToAnswer()
    session.terminal?.show(notification.description)
    var params: JSONObject = ["notification": .string(notification.id)]
    params["reason"] = reason
    let result = try session.decide("notification.deny", params, about: notification.id)
    try session.show(.denied, result, of: notification.id)
  }
}

extension Arguments {
  fileprivate var denyReason: JSON? {
    get throws(Failure) {
      let reasons: [(option: String, reason: JSON)] = [
        ("--report-fraud", "REPORT_FRAUD"), ("--biometrics-rejected", "BIOMETRICS_REJECTED"),
      ]
      let given = reasons.filter { has($0.option) }
      guard given.count < 2 else {
        throw Command.deny.misused("--report-fraud and --biometrics-rejected exclude each other")
      }
      return given.first?.reason
    }
  }
}
