import EventLoop
import HTTPServer

/// The page where a user signs on in a browser: `/{environment}/as/signon`.
enum PageRoutes {
  static let routes: [Route<Endpoint>] = [.anyone("POST", "/{environment}/as/signon", submit)]

  @EventLoop
  private static func submit(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let (tenant, form) = (call.tenant, try call.form())
    var flow = try tenant.flow(ID(form["flowId"] ?? ""), of: call.request)
    let target = flow.request.target
    guard target.mode == .query, flow.status != .completed else {
      throw .invalidRequest("The sign-on is none by a page.")
    }
    guard form["decision"] != "cancel" else {
      tenant.signOn.flows[flow.id] = nil
      return target.refusal(
        .oauth("access_denied", "the user does not want to sign on"),
        issuer: tenant.issuer
      )
    }
    let user = tenant.user(named: form["username"] ?? "", password: form["password"] ?? "")
    guard let user else {
      return tenant.page(of: flow, message: "The user name or the password is wrong.")
    }
    flow.complete(tenant.startSession(flow.session, of: user.id, acr: SignOnFlow.acr))
    return try tenant.conclude(flow)
  }
}

extension Tenant {
  /// The page that asks for user name and password.
  func page(of flow: SignOnFlow, message: String? = nil) -> HTTPResponse {
    let form = HTMLPage.Form(
      action: "\(issuer)/signon",
      fields: [
        HTMLPage.Field(name: "flowId", kind: "hidden", value: flow.id.text),
        HTMLPage.Field(name: "username", label: "User name", value: flow.request.loginHint ?? ""),
        HTMLPage.Field(name: "password", label: "Password", kind: "password"),
      ],
      buttons: [
        HTMLPage.Button(label: "Sign on"),
        HTMLPage.Button(label: "Cancel", name: "decision", value: "cancel"),
      ]
    )
    let introduction = "Sign on to \(application.name)."
    let page = HTMLPage(
      title: "Sign on",
      paragraphs: [message, introduction].compactMap(\.self),
      form: form
    )
    return page.response.with(cookie: flow.sessionToken, in: environment)
  }

  /// Sends the browser back to the client with the code of a flow that is completed, and forgets the flow.
  func conclude(_ flow: SignOnFlow) throws(PingOneError) -> HTTPResponse {
    guard let session = sessions[flow.session] else { throw .notFound }
    signOn.flows[flow.id] = nil
    return flow.request.target.redirection(try authorizeResponse(to: flow.request, for: session))
      .with(cookie: session.token, in: environment)
  }
}
