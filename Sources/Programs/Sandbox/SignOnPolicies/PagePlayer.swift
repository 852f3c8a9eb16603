import EventLoop
import HTTPServer

extension Player {
  /// Plays sign-on policies in a browser, by a page for each thing that is needed.
  static let page = Player(plays: { request, _ in request.target.mode == .query }) {
    request,
    call throws(PingOneError) in
    let tenant = call.tenant
    let session = request.prompt == .login ? nil : tenant.session(of: call.request)
    let flow = try tenant.startFlow(request, from: session)
    if request.prompt == AuthorizationRequest.Prompt.none, flow.status != .completed {
      tenant.signOn.flows[flow.id] = nil
      throw .oauth("login_required", "the user has to sign on")
    }
    return try tenant.page(of: flow)
  }
}
