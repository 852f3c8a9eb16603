import EventLoop
import HTTPServer
import JSON

/// Where a sign-on begins: `authorize` and, before it, `par`.
enum AuthorizeRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("POST", "/{environment}/as/par", push),
    .anyone("GET", "/{environment}/as/authorize", authorizeByQuery),
    .anyone("POST", "/{environment}/as/authorize", authorizeByForm),
  ]

  @EventLoop
  private static func push(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let parameters = try call.form()
    guard parameters["request_uri"] == nil else {
      throw .oauth("invalid_request", "a pushed request cannot refer to another")
    }
    let pushed = PushedRequest(
      id: ID(randomText(43, of: tokenAlphabet)),
      request: try call.tenant.authorizationRequest(parameters),
      deadline: call.tenant.clock.deadline(in: PushedRequest.seconds)
    )
    call.tenant.signOn.pushedRequests.put(pushed, keeping: SignOnState.maximumCount)
    return .plain(
      201,
      [
        "request_uri": .string(PushedRequest.prefix + pushed.id.text),
        "expires_in": .int(PushedRequest.seconds),
      ]
    )
  }

  @EventLoop
  private static func authorizeByQuery(_ call: Call) throws(PingOneError) -> HTTPResponse {
    try authorize(call, try call.queryParameters())
  }

  @EventLoop
  private static func authorizeByForm(_ call: Call) throws(PingOneError) -> HTTPResponse {
    try authorize(call, try call.form())
  }

  @EventLoop
  private static func authorize(
    _ call: Call,
    _ parameters: [String: String]
  ) throws(PingOneError) -> HTTPResponse {
    let request = try request(parameters, call.tenant)
    guard !request.isSilent else {
      let error: JSON = ["code": "login_required", "message": "The user has to sign on."]
      return .json(200, ["status": "FAILED", "error": error])
    }
    let flow = SignOnFlow(
      id: .random(),
      request: request,
      session: .random(),
      deadline: call.tenant.clock.deadline(in: SignOnFlow.seconds),
      sessionToken: randomText(43, of: tokenAlphabet)
    )
    call.tenant.signOn.flows.put(flow, keeping: SignOnState.maximumCount)
    return call.tenant.response(with: flow)
  }

  @EventLoop
  private static func request(
    _ parameters: [String: String],
    _ tenant: Tenant
  ) throws(PingOneError) -> AuthorizationRequest {
    guard let reference = parameters["request_uri"] else {
      return try tenant.authorizationRequest(parameters)
    }
    guard parameters["client_id"] == tenant.application.clientID else {
      throw .oauth("invalid_request", "the client is not known")
    }
    let id = ID<PushedRequest>(String(reference.dropFirst(PushedRequest.prefix.count)))
    guard reference.hasPrefix(PushedRequest.prefix), let pushed = tenant.signOn.pushedRequests[id] else {
      throw .oauth("invalid_request", "the request_uri is not known")
    }
    tenant.signOn.pushedRequests[id] = nil
    guard !tenant.clock.isOver(pushed.deadline) else {
      throw .oauth("invalid_request", "the request_uri is over")
    }
    return pushed.request
  }
}
