import EventLoop
import HTTPServer
import JSON
import OpenSSL

/// The steps of a sign-on: `/{environment}/flows/{flow}` and `/{environment}/as/resume`.
enum FlowRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/flows/{flow}", read),
    .anyone(
      "POST",
      "/{environment}/flows/{flow}",
      mediaType: "application/vnd.pingidentity.usernamePassword.check+json",
      checkPassword
    ),
    .anyone("GET", "/{environment}/as/resume", resume),
  ]

  @EventLoop
  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    call.tenant.response(with: try call.tenant.flow(call.id("flow", of: SignOnFlow.self), of: call.request))
  }

  @EventLoop
  private static func checkPassword(_ call: Call) throws(PingOneError) -> HTTPResponse {
    var flow = try call.tenant.flow(call.id("flow", of: SignOnFlow.self), of: call.request)
    let body = try call.actionBody()
    let username = try body.requiredText("username")
    let password = try body.requiredText("password")
    guard flow.status == .usernamePasswordRequired else {
      throw .invalidRequest("The user has signed on already.")
    }
    guard let user = call.tenant.user(named: username, password: password) else {
      throw .invalid("password", "The provided password did not match provisioned password")
    }
    let session = call.tenant.startSession(flow.session, of: user.id, acr: SignOnFlow.acr)
    flow.complete(session)
    call.tenant.signOn.flows.put(flow)
    return call.tenant.response(with: flow)
  }

  @EventLoop
  private static func resume(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let flow = try call.tenant.flow(ID(call.query("flowId") ?? ""), of: call.request)
    guard flow.status == .completed, let session = call.tenant.sessions[flow.session] else {
      throw .invalidRequest("The sign-on is not completed.")
    }
    guard flow.request.target.mode == .flow else { return try call.tenant.conclude(flow) }
    call.tenant.signOn.flows[flow.id] = nil
    return .json(
      200,
      [
        "id": .id(flow.id), "status": "COMPLETED", "environment": .reference(call.tenant.environment.id),
        "session": .reference(flow.session),
        "authorizeResponse": .texts(try call.tenant.authorizeResponse(to: flow.request, for: session)),
      ]
    )
  }
}

extension Tenant {
  /// The flow of that identifier, if the request has its cookie.
  func flow(_ id: ID<SignOnFlow>, of request: HTTPRequest) throws(PingOneError) -> SignOnFlow {
    guard let flow = signOn.flows[id], !clock.isOver(flow.deadline) else { throw .notFound }
    let token = request.headers.cookies[SignOnSession.cookie] ?? ""
    guard constantTimeEqual(Array(token.utf8), Array(flow.sessionToken.utf8)) else {
      throw PingOneError(
        status: 403,
        code: "ACCESS_FAILED",
        message: "The request could not be completed. You do not have access to this resource."
      )
    }
    return flow
  }

  /// A sign-on as its client sees it, with the cookie that has to come back.
  func response(with flow: SignOnFlow) -> HTTPResponse {
    let address = "\(authenticationURL)/flows/\(flow.id.text)"
    var links = [("self", address)]
    if flow.status == .usernamePasswordRequired {
      links += [("usernamePassword.check", address), ("password.forgot", address)]
    }
    var embedded: JSONObject = [
      "application": ["id": .id(application.id), "name": .string(application.name)]
    ]
    embedded["user"] = flow.user.flatMap { users[$0] }.map {
      ["id": .id($0.id), "username": .string($0.username)]
    }
    return HTTPResponse.json(
      200,
      [
        "_links": .links(links), "_embedded": .object(embedded), "id": .id(flow.id),
        "status": .string(flow.status.rawValue), "environment": .reference(environment.id),
        "session": .reference(flow.session),
        "resumeUrl": .string("\(issuer)/resume?flowId=\(flow.id.text)"),
      ]
    ).with(cookie: flow.sessionToken, in: environment)
  }
}
