import EventLoop
import HTTPServer
import JSON

extension Player {
  /// Plays sign-on policies by the platform's interface for flows.
  static let policy = Player(plays: { request, _ in request.target.mode == .flow }) {
    request,
    call throws(PingOneError) in
    let tenant = call.tenant
    var flow = SignOnFlow(
      id: .random(),
      request: request,
      session: .random(),
      deadline: tenant.clock.deadline(in: SignOnFlow.seconds),
      sessionToken: randomText(43, of: tokenAlphabet)
    )
    if request.prompt != .login, let session = tenant.session(of: call.request) {
      flow.complete(session)
    } else if request.prompt == AuthorizationRequest.Prompt.none {
      let error: JSON = ["code": "login_required", "message": "The user has to sign on."]
      return .json(200, ["status": "FAILED", "error": error])
    }
    tenant.signOn.flows.put(flow, keeping: SignOnState.maximumCount)
    return tenant.response(with: flow)
  }
}
