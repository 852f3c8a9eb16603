import EventLoop
import HTTPServer
import JSON

/// The endpoints that start a sign-on: `authorize` and, before it, `par`.
@EventLoop
enum Authorization {
  static func push(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let (tenant, parameters, provider) = (call.tenant, try call.form(), try call.provider())
    guard parameters["request_uri"] == nil else {
      throw .badRequest("a pushed request cannot refer to another")
    }
    let pushed = PushedRequest(
      id: ID(randomText(43, of: tokenAlphabet)),
      request: try tenant.authorizationRequest(parameters, to: try tenant.authorizationTarget(parameters)),
      deadline: tenant.clock.deadline(in: PushedRequest.seconds),
      realm: provider.realm
    )
    tenant.pushedRequests.put(pushed)
    let reference = PushedRequest.prefix + pushed.id.text
    return .plain(201, .of(["request_uri": reference, "expires_in": PushedRequest.seconds]))
  }

  static func authorize(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    let (tenant, provider) = (call.tenant, try call.provider())
    var parameters = try call.queryOrForm()
    // AM does not know the platform's payload.
    if provider.realm != nil { parameters["mobilePayload"] = nil }
    let pushed = try parameters["request_uri"].map { reference throws(ErrorResponse) in
      try pushedRequest(reference, parameters, tenant, provider.realm)
    }
    let target = if let pushed { pushed.target } else { try tenant.authorizationTarget(parameters) }
    do throws(ErrorResponse) {
      let request = if let pushed { pushed } else { try tenant.authorizationRequest(parameters, to: target) }
      if let realm = provider.realm { return try answer(request, call, realm) }
      if request.target.mode == .flow, let flow = tenant.flow(for: request, of: .daVinci) {
        return await call.play(flow, for: request)
      }
      return try await call.playPolicy(for: request)
    } catch { return target.refusal(error, issuer: provider.url) }
  }

  private static func pushedRequest(
    _ reference: String,
    _ parameters: [String: String],
    _ tenant: Tenant,
    _ realm: String?
  ) throws(ErrorResponse) -> CheckedAuthorizationRequest {
    guard parameters["client_id"] == tenant.application.clientID else {
      throw .badRequest("the client is not known")
    }
    let id = ID<PushedRequest>(String(reference.dropFirst(PushedRequest.prefix.count)))
    guard reference.hasPrefix(PushedRequest.prefix), let pushed = tenant.pushedRequests[id],
      pushed.realm == realm
    else { throw .badRequest("the request_uri is not known") }
    tenant.pushedRequests[id] = nil
    guard !tenant.clock.isOver(pushed.deadline) else { throw .badRequest("the request_uri has expired") }
    return pushed.request
  }

  /// If the request has a session, redirects with a code to the client of the realm.
  ///
  /// Otherwise returns the sign-in page.
  private static func answer(_ request: CheckedAuthorizationRequest, _ call: Call, _ realm: String)
    throws(ErrorResponse)
    -> HTTPResponse
  {
    let tenant = call.tenant
    guard request.target.mode == .query else { throw .badRequest("the response mode is not supported") }
    guard request.prompt != .login, let session = tenant.journeySession(of: call.request, realm: realm) else {
      guard request.prompt != CheckedAuthorizationRequest.Prompt.none else {
        throw .oauth("login_required", "there is no session")
      }
      return HTMLPage(title: "Sign in", paragraphs: ["Sign in to \(tenant.application.name)."]).response
    }
    let response = try tenant.authorizeResponse(to: request, for: session)
    return request.target.redirection(response + [("client_id", tenant.application.clientID)])
  }
}

struct PushedRequest: Stored {
  let id: ID<PushedRequest>
  let request: CheckedAuthorizationRequest
  let deadline: EndTime
  /// AM's realm of the endpoint, `nil` for the platform.
  let realm: String?

  static let seconds = 60
  static let maximumCount = 1000
  static let prefix = "urn:ietf:params:oauth:request_uri:"
}
