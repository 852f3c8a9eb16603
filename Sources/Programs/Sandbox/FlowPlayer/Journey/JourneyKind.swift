import JSON

extension FlowKind {
  static let journey = FlowKind(
    name: "journey",
    pages: [JourneyPages.callbacks, JourneyPages.success, JourneyPages.failure, .branch] + HostilePages.kinds,
    outcomes: [.page, failedPolicies],
    turn: { play in
      // It looks like the signed token that it is at AM, and clients must not look into it.
      let parts = [randomText(180, of: tokenAlphabet), randomText(43, of: tokenAlphabet)]
      play.turn = FlowTurn(token: "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.\(parts[0]).\(parts[1])")
    },
    refusal: { _, error in Refusal.am(401, "Login failure", error.shortMessage).response }
  )

  private static let failedPolicies = FlowWord<FlowOutcome>("failedPolicies") {
    reader throws(FlowFileError) in
    var members = try reader.members()
    let failures = try members.rest().map { name, policies throws(FlowFileError) in
      _ = try policies.elements()
      return (name: name, policies: try policies.template())
    }
    return FlowOutcome { play throws(Refusal) in
      guard let page = play.page else { throw .unexpected }
      for (name, policies) in failures {
        play.failedPolicies[name] = policies.json(in: play).array?.map { policy in
          // AM sends each as text.
          .string((policy.string.map { ["policyRequirement": .string($0)] } ?? policy).text)
        }
      }
      return .page(page.name)
    }
  }
}

extension Refusal {
  private static let reasons = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 412: "Precondition Failed",
    500: "Internal Server Error",
  ]

  /// A refusal in AM's form; what is wrong besides goes where clients look for nothing.
  static func am(_ status: Int, _ message: String, _ hint: String? = nil, detail: JSON? = nil) -> Refusal {
    let reason = reasons[status] ?? "Error"
    let form = JSON.of([
      "code": status, "reason": reason, "message": message, "detail": detail, "sandboxHint": hint,
    ])
    return Refusal(status, reason, message, form: form)
  }

  static let journeyTimedOut = am(401, "Session has timed out", detail: ["errorCode": "110"])

  static let unknownSuspension = am(
    401,
    "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: "
      + "Token not found. It may have expired."
  )
}
