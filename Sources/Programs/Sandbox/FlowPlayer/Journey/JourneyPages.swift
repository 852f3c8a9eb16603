import JSON

enum JourneyPages {
  /// Callbacks, with what a page node says around them.
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
        throw callback.failure("\(type) is not known here, so that it needs output and input")
      }
    }
    return try reader.template()
  }

  static let success = FlowPageKind("success") { members throws(FlowFileError) in
    let url = try members.template("successUrl") ?? FlowTemplate(.string(Tenant.successURL))
    let methods = try members.optional("amr")?.texts() ?? ["pwd"]
    return { play throws(Refusal) in
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
    return { play in Refusal.am(status, message.text(in: play), detail: detail?.json(in: play)).response }
  }
}
