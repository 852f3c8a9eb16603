import EventLoop
import HTTPServer

extension Player {
  /// Lets a user sign on in a browser, by a page that asks for user name and password.
  static let page = Player(plays: { request, _ in request.target.mode == .query }) {
    request,
    call throws(PingOneError) in
    let tenant = call.tenant
    if request.prompt != .login, let session = tenant.session(of: call.request) {
      return request.target.redirection(try tenant.authorizeResponse(to: request, for: session))
    }
    guard request.prompt != AuthorizationRequest.Prompt.none else {
      throw .oauth("login_required", "the user has to sign on")
    }
    let flow = SignOnFlow(
      id: .random(),
      request: request,
      session: .random(),
      deadline: tenant.clock.deadline(in: SignOnFlow.seconds),
      sessionToken: randomText(43, of: tokenAlphabet)
    )
    tenant.signOn.flows.put(flow, keeping: SignOnState.maximumCount)
    return tenant.page(of: flow)
  }
}
