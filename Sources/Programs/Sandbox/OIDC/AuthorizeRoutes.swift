import EventLoop
import HTTPServer
import JSON

/// Where a sign-on begins: `authorize` and, before it, `par`.
@EventLoop
enum AuthorizeRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("POST", "/{environment}/as/par", push),
    .anyone("GET", "/{environment}/as/authorize", authorizeByQuery),
    .anyone("POST", "/{environment}/as/authorize", authorizeByForm),
  ]

  static func push(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let (parameters, provider) = (try call.form(), try call.provider())
    guard parameters["request_uri"] == nil else {
      throw .oauth("invalid_request", "a pushed request cannot refer to another")
    }
    let target = try call.tenant.authorizationTarget(parameters)
    let pushed = PushedRequest(
      id: ID(randomText(43, of: tokenAlphabet)),
      request: try call.tenant.authorizationRequest(parameters, to: target),
      deadline: call.tenant.clock.deadline(in: PushedRequest.seconds),
      realm: provider.realm
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

  private static func authorizeByQuery(_ call: Call) async throws(PingOneError) -> HTTPResponse {
    try await authorize(call, try call.queryParameters())
  }

  private static func authorizeByForm(_ call: Call) async throws(PingOneError) -> HTTPResponse {
    try await authorize(call, try call.form())
  }

  private static func authorize(
    _ call: Call,
    _ parameters: [String: String]
  ) async throws(PingOneError) -> HTTPResponse {
    let tenant = call.tenant
    if parameters["request_uri"] != nil {
      let request = try pushedRequest(parameters, tenant)
      do { return try await play(request, call) } catch {
        return request.target.refusal(error, issuer: tenant.issuer)
      }
    }
    let target = try tenant.authorizationTarget(parameters)
    do {
      return try await play(try tenant.authorizationRequest(parameters, to: target), call)
    } catch { return target.refusal(error, issuer: tenant.issuer) }
  }

  private static func play(
    _ request: AuthorizationRequest,
    _ call: Call
  ) async throws(PingOneError) -> HTTPResponse {
    guard let player = Player.all.first(where: { $0.plays(request, call.tenant) }) else {
      throw .oauth("invalid_request", "the acr_values name nothing that can be played")
    }
    return try await player.begin(request, call)
  }

  static func pushedRequest(
    _ parameters: [String: String],
    _ tenant: Tenant,
    realm: String? = nil
  ) throws(PingOneError) -> AuthorizationRequest {
    guard parameters["client_id"] == tenant.application.clientID else {
      throw .oauth("invalid_request", "the client is not known")
    }
    let reference = parameters["request_uri"] ?? ""
    let id = ID<PushedRequest>(String(reference.dropFirst(PushedRequest.prefix.count)))
    guard reference.hasPrefix(PushedRequest.prefix), let pushed = tenant.signOn.pushedRequests[id],
      pushed.realm == realm
    else {
      throw .oauth("invalid_request", "the request_uri is not known")
    }
    tenant.signOn.pushedRequests[id] = nil
    guard !tenant.clock.isOver(pushed.deadline) else {
      throw .oauth("invalid_request", "the request_uri is over")
    }
    return pushed.request
  }
}
