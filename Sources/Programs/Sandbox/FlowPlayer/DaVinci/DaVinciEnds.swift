import EventLoop
import HTTPServer
import JSON

/// The pages that end a flow.
enum DaVinciEnds {
  /// The user who has signed on gets a session, and the client its code.
  static let success = FlowPageKind("success") { members throws(FlowFileError) in
    let methods = try members.optional("amr")?.texts() ?? ["pwd"]
    let more = try members.optional("more")?.template()
    return { play throws(PingOneError) in
      guard let user = play.user, let request = play.authorization else {
        throw .invalidRequest("Nobody has signed on.")
      }
      let session =
        play.session.flatMap { $0.user == user ? $0 : nil }
        ?? play.tenant.startSession(of: user, methods: methods, acr: play.flow.id)
      var body: JSONObject = [
        "interactionId": .id(play.id), "companyId": .id(play.tenant.environment.id),
        "connectionId": .string(play.connection), "connectorId": "pingOneAuthenticationConnector",
        "id": .string(play.turn.node), "capabilityName": "returnSuccessResponseRedirect",
        "status": "COMPLETED", "success": true, "environment": .reference(play.tenant.environment.id),
        "session": .reference(session.id), "sessionToken": .string(session.token),
        "sessionTokenMaxAge": .int(SignOnSession.seconds), "resetCookie": true,
        "authorizeResponse": .texts(try play.tenant.authorizeResponse(to: request, for: session)),
      ]
      for member in more?.json(in: play).object?.members ?? [] { body[member.name] = member.value }
      return HTTPResponse.plain(200, .object(body)).with(session: session, in: play.tenant.environment)
    }
  }

  /// The flow has come to nothing.
  static let failure = FlowPageKind("failure") { members throws(FlowFileError) in
    let code = try members.required("code").template()
    let message = try members.required("message").template()
    return { play in
      .plain(
        200,
        [
          "interactionId": .id(play.id), "id": .string(play.turn.node), "status": "FAILED",
          "error": ["code": code.json(in: play), "message": message.json(in: play)],
        ]
      )
    }
  }
}

extension HTTPResponse {
  private static let crossSiteCookie = "ST-NO-SS"

  /// The answer with both cookies of a session.
  fileprivate func with(session: SignOnSession, in environment: Environment) -> HTTPResponse {
    var response = with(cookie: session.token, in: environment)
    let cookie = "\(Self.crossSiteCookie)=\(session.token)"
    response.headers.add("Set-Cookie", "\(cookie); Path=/\(environment.id.text); HttpOnly")
    return response
  }
}
