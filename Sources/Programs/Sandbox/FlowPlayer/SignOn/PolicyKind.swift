import HTTPServer
import JSON

extension FlowKind {
  /// PingOne's interface for flows, by JSON for clients with `pi.flow` and by pages for browsers.
  static let policy = FlowKind(
    name: "policy",
    pages: [StatusPage.kind, PolicyEnds.success, PolicyEnds.failure, .branch],
    outcomes: [.page, invalid],
    refusal: { play, error in play.isInBrowser ? play.redraw(saying: error.shortMessage) : error.response }
  )

  /// A member is refused, and the page stays.
  private static let invalid = FlowWord<FlowOutcome>("invalid") { reader throws(FlowFileError) in
    var members = try reader.members()
    let target = try members.required("target").text()
    let message = try members.required("message").text()
    try members.end()
    return FlowOutcome { _ throws(Refusal) in throw .invalid(target, message) }
  }
}

enum PolicyEnds {
  static let success = FlowPageKind("success") { _ in
    { play throws(Refusal) in
      guard let request = play.authorization, let session = play.completed else { throw .unexpected }
      let response = try play.tenant.authorizeResponse(to: request, for: session)
      guard request.target.mode == .flow else {
        return request.target.redirection(response).with(cookie: session.token, in: play.tenant.environment)
      }
      return .json([
        "id": play.id, "status": "COMPLETED", "environment": play.tenant.environment.id.reference,
        "session": session.id.reference, "authorizeResponse": JSON.texts(response),
      ])
    }
  }

  /// The sign-on has come to nothing; a browser is sent back, and a client can go on reading so.
  static let failure = FlowPageKind("failure", stays: true) { members throws(FlowFileError) in
    let code = try members.required("code").template()
    let message = try members.required("message").template()
    return { play in
      guard !play.isInBrowser else {
        play.end()
        return play.refusal(.oauth("access_denied", message.text(in: play)))
      }
      let failure = Failure(code.text(in: play), message.text(in: play))
      return play.response(status: "FAILED", ["error": failure.json])
    }
  }
}

extension FlowPlay {
  var isInBrowser: Bool { authorization?.target.mode == .query }

  func refusal(_ error: Refusal) -> HTTPResponse {
    authorization?.target.refusal(error, issuer: tenant.issuer) ?? error.response
  }
}
