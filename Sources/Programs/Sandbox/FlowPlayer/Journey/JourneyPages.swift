import JSON

enum JourneyPages {
  /// A page with callbacks and the texts of a page node.
  static let callbacks = FlowPageKind("callbacks") { members throws(FlowFileError) in
    let callbacks = try callbacks(try members.required("callbacks"))
    var texts: [(String, FlowTemplate)] = []
    for name in ["stage", "header", "description"] {
      if let text = try members.template(name) { texts.append((name, text)) }
    }
    let more = try members.object("more")
    return { [texts] play in
      let written = callbacks.json(in: play).array ?? []
      let failed = play.failedPolicies
      play.failedPolicies = [:]
      play.turn.callbacks = written.enumerated().map { index, callback in
        JourneyCallback.expand(callback.object ?? [:], at: index, failed: failed["IDToken\(index + 1)"])
      }
      let around = JSONObject(texts.map { ($0.0, $0.1.json(in: play)) })
      return .plain(
        ["authId": play.turn.token, "callbacks": play.turn.callbacks],
        adding: around.adding(more.object(in: play))
      )
    }
  }

  private static func callbacks(_ reader: FlowReader) throws(FlowFileError) -> FlowTemplate {
    for callback in try reader.elements() {
      guard let object = callback.value.object, let type = object["type"]?.string else {
        throw callback.failure("needs a type")
      }
      guard JourneyCallback.isVerbatim(object) || JourneyCallback.isKnown(type) else {
        throw callback.failure("\(type) is not a known type, so it needs output and input")
      }
    }
    return try reader.template()
  }

  static let success = FlowPageKind("success") { members throws(FlowFileError) in
    let url = try members.template("successUrl") ?? FlowTemplate(.string(Tenant.successURL))
    let methods = try members.optional("amr")?.texts() ?? ["pwd"]
    return { play throws(ErrorResponse) in
      let user = try play.signedOnUser().id
      let (tenant, realm) = (play.tenant, play.parameters["realm"] ?? "")
      let session =
        play.parameters["noSession"] == "true"
        ? nil : tenant.startSession(of: user, methods: methods, acr: play.flow.id, realm: realm)
      let body = tenant.json(of: session, realm: realm, successURL: url.text(in: play))
      guard let session else { return .plain(200, body) }
      let cookie = "\(tenant.journeyCookie)=\(session.token); Path=/; HttpOnly"
      return .plain(200, body).with("Set-Cookie", cookie).with("Set-Cookie", "amlbcookie=01; Path=/")
    }
  }

  static let failure = FlowPageKind("failure") { members throws(FlowFileError) in
    let status = try members.optional("status")?.int(400...499) ?? 401
    let message = try members.template("message") ?? FlowTemplate("Login failure")
    let detail = try members.template("detail")
    return { play in ErrorResponse.am(status, message.text(in: play), detail: detail?.json(in: play)).response
    }
  }
}

extension FlowKind {
  static let journey = FlowKind(
    name: "journey",
    pages: [JourneyPages.callbacks, JourneyPages.success, JourneyPages.failure, .branch] + HostilePages.kinds,
    outcomes: [.page, failedPolicies],
    turn: { play in
      // The token looks like AM's signed token, but clients must treat it as opaque.
      let parts = [randomText(180, of: tokenAlphabet), randomText(43, of: tokenAlphabet)]
      play.turn = FlowTurn(token: "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.\(parts[0]).\(parts[1])")
    },
    refusal: { _, error in ErrorResponse.am(401, "Login failure", error.shortMessage).response }
  )

  private static let failedPolicies = FlowWord<FlowOutcome>("failedPolicies") {
    reader throws(FlowFileError) in
    var members = try reader.members()
    let failures = try members.rest().map { name, policies throws(FlowFileError) in
      _ = try policies.elements()
      return (name: name, policies: try policies.template())
    }
    return FlowOutcome { play throws(ErrorResponse) in
      guard let page = play.page else { throw .unexpected }
      for (name, policies) in failures {
        play.failedPolicies[name] = policies.json(in: play).array?.map { policy in
          // AM sends each policy as text that contains JSON.
          .string((policy.string.map { ["policyRequirement": .string($0)] } ?? policy).text)
        }
      }
      return .page(page.name)
    }
  }
}

extension ErrorResponse {
  private static let reasons = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 412: "Precondition Failed",
    500: "Internal Server Error",
  ]

  /// Returns an error in AM's format; `hint` is in a member that clients do not read.
  static func am(_ status: Int, _ message: String, _ hint: String? = nil, detail: JSON? = nil)
    -> ErrorResponse
  {
    let reason = reasons[status] ?? "Error"
    let form = JSON.of([
      "code": status, "reason": reason, "message": message, "detail": detail, "sandboxHint": hint,
    ])
    return ErrorResponse(status, reason, message, form: form)
  }

  static let journeyTimedOut = am(401, "Session has timed out", detail: ["errorCode": "110"])

  static let unknownSuspension = am(
    401,
    "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: "
      + "Token not found. It may have expired."
  )
}
