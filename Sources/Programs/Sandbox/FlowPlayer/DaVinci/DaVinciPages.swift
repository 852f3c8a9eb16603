import HTTPServer
import JSON

enum DaVinciPages {
  private static let categories = ["CUSTOM_FORM", "CUSTOM_HTML"]

  /// A form of PingOne's forms connector, or of a custom HTML template.
  static let form = FlowPageKind("form") { members throws(FlowFileError) in
    let title = try members.template("title")
    let description = try members.template("description")
    let category = try members.optional("category")?.text(of: categories) ?? categories[0]
    let fields = try fields(try members.required("fields"))
    let (defaults, more) = (try members.object("defaults"), try members.object("more"))
    let links = try members.object("links")
    let compatible = try members.optional("compatible")?.bool() ?? true
    return { play in
      let isHTML = category == categories[1]
      let form = JSON.of([
        "name": title?.json(in: play) ?? .string(play.page?.name ?? ""),
        "description": description?.json(in: play) ?? "", "category": category,
        "components": JSON.of(["fields": fields.json(in: play)]),
      ])
      return HTTPResponse.plain(
        [
          "interactionId": play.id, "interactionToken": play.turn.token,
          "_links": play.daVinciLinks(isHTML: isHTML, links.object(in: play)), "eventName": "continue",
          "isResponseCompatibleWithMobileAndWebSdks": compatible, "id": play.turn.node,
          "companyId": play.tenant.environment.id, "flowId": play.flow.id, "connectionId": play.connection,
          "connectorId": isHTML ? "httpConnector" : "pingOneFormsConnector",
          "capabilityName": FlowPlay.capability(isHTML: isHTML),
          "formData": JSON.of(["value": defaults.json(in: play)]), "form": form,
        ],
        adding: more.object(in: play)
      ).with(interactionOf: play)
    }
  }

  /// Reads fields in the server's format; each field needs a type.
  private static func fields(_ reader: FlowReader) throws(FlowFileError) -> FlowTemplate {
    for field in try reader.elements() {
      guard field.value["type"]?.string != nil else { throw field.failure("needs a type") }
    }
    return try reader.template()
  }

  static let success = FlowPageKind("success") { members throws(FlowFileError) in
    let methods = try members.optional("amr")?.texts() ?? ["pwd"]
    let more = try members.object("more")
    return { play throws(ErrorResponse) in
      guard let user = play.user, let request = play.authorization else {
        throw .invalidRequest("No user has signed on.")
      }
      let (tenant, environment) = (play.tenant, play.tenant.environment)
      let session =
        play.session.flatMap { $0.user == user ? $0 : nil }
        ?? tenant.startSession(of: user, methods: methods, acr: play.flow.id)
      let response = HTTPResponse.plain(
        [
          "interactionId": play.id, "companyId": environment.id, "connectionId": play.connection,
          "connectorId": "pingOneAuthenticationConnector", "id": play.turn.node,
          "capabilityName": "returnSuccessResponseRedirect", "status": "COMPLETED", "success": true,
          "environment": environment.id.reference, "session": session.id.reference,
          "sessionToken": session.token, "sessionTokenMaxAge": BrowserSession.seconds, "resetCookie": true,
          "authorizeResponse": JSON.texts(try tenant.authorizeResponse(to: request, for: session)),
        ],
        adding: more.object(in: play)
      )
      // The second cookie has no `SameSite`, so that it can be sent with requests from other sites.
      return response.with(cookie: session.token, in: environment)
        .with("Set-Cookie", "ST-NO-SS=\(session.token); Path=/\(environment.id.text); HttpOnly")
    }
  }

  static let failure = FlowPageKind("failure") { members throws(FlowFileError) in
    let code = try members.required("code").template()
    let message = try members.required("message").template()
    return { play in
      let error = JSON.of(["code": code.json(in: play), "message": message.json(in: play)])
      return .plain(["interactionId": play.id, "id": play.turn.node, "status": "FAILED", "error": error])
    }
  }
}
