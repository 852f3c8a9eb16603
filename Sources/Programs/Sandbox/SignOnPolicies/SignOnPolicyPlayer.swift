import EventLoop
import HTTPServer
import JSON

extension Player {
  /// Plays sign-on policies by the platform's interface for flows.
  static let policy = Player(plays: { request, _ in request.target.mode == .flow }) {
    request,
    call throws(PingOneError) in
    let tenant = call.tenant
    let session = request.prompt == .login ? nil : tenant.session(of: call.request)
    let flow = try tenant.startFlow(request, from: session)
    if request.prompt == AuthorizationRequest.Prompt.none, flow.status != .completed {
      tenant.signOn.flows[flow.id] = nil
      let error: JSON = ["code": "login_required", "message": "The user has to sign on."]
      return .json(200, ["status": "FAILED", "error": error])
    }
    return tenant.response(with: flow)
  }
}
