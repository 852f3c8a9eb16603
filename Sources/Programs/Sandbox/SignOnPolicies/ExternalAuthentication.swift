import EventLoop
import HTTPServer

extension SignOnStep {
  /// Sends the user to another provider, which the sandbox plays too.
  static let external = SignOnStep(name: "EXTERNAL", identifiesUser: true) { flow, _ in
    if flow.user == nil { flow.status = .externalAuthenticationRequired }
  }
}

/// `/{environment}/rp/authenticate`: another provider, where a user signs on in a browser that the flow does not know.
@EventLoop
enum ExternalAuthentication {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/rp/authenticate", show),
    .anyone("POST", "/{environment}/rp/authenticate", submit),
  ]

  private static func show(_ call: Call) throws(PingOneError) -> HTTPResponse {
    page(of: try flow(try call.queryParameters()["flowId"], call.tenant), call.tenant)
  }

  private static func submit(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let (tenant, form) = (call.tenant, try call.form())
    var flow = try flow(form["flowId"], tenant)
    let user = tenant.user(named: form["username"] ?? "", password: form["password"] ?? "")
    guard let user else {
      return page(of: flow, tenant, message: "The user name or the password is wrong.")
    }
    // The flow goes on when its own client asks next, since this browser has not its cookie.
    flow.externalUser = user.id
    tenant.signOn.flows.put(flow)
    return HTMLPage(title: "Signed on", paragraphs: ["You can go back to the application."]).response
  }

  private static func flow(_ id: String?, _ tenant: Tenant) throws(PingOneError) -> SignOnFlow {
    guard let flow = tenant.signOn.flows[ID(id ?? "")], !tenant.clock.isOver(flow.deadline),
      flow.status == .externalAuthenticationRequired
    else { throw .notFound }
    return flow
  }

  private static func page(
    of flow: SignOnFlow,
    _ tenant: Tenant,
    message: String? = nil
  ) -> HTTPResponse {
    HTMLPage(
      title: "Another provider",
      paragraphs: [message].compactMap(\.self),
      form: HTMLPage.Form(
        action: "\(tenant.authenticationURL)/rp/authenticate",
        fields: [
          HTMLPage.Field(name: "flowId", kind: "hidden", value: flow.id.text),
          HTMLPage.Field(name: "username", label: "User name"),
          HTMLPage.Field(name: "password", label: "Password", kind: "password"),
        ],
        buttons: [HTMLPage.Button(label: "Sign on")]
      )
    ).response
  }
}

extension Tenant {
  /// Where the user of a flow signs on with another provider.
  func externalAddress(of flow: SignOnFlow) -> String {
    "\(authenticationURL)/rp/authenticate?flowId=\(flow.id.text)"
  }

  /// Carries over to a flow that its user has signed on with another provider.
  func followExternalAuthentication(_ flow: inout SignOnFlow) throws(PingOneError) {
    guard flow.status == .externalAuthenticationRequired, let user = flow.externalUser else { return }
    flow.identify(user, by: "fed")
    try advance(&flow)
  }
}
