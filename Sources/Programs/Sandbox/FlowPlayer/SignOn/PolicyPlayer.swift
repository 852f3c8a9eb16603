import HTTPServer
import JSON

extension Call {
  func playPolicy(for request: AuthorizationRequest) async throws(Refusal) -> HTTPResponse {
    let written = tenant.flow(for: request, of: .policy)
    guard let flow = written ?? SignOnPolicy.flow else { throw .unexpected }
    let session = request.prompt == .login ? nil : tenant.session(of: self.request)
    let play = FlowPlay(flow, of: tenant, authorization: request, session: session)
    play.parameters["flowId"] = play.id.text
    play.parameters["scope"] = request.scope.joined(separator: ", ")
    play.policy =
      if let written { SignOnPolicy(id: ID(written.id), steps: []) } else {
        try tenant.signOnPolicy(for: request)
      }
    play.turn.token = session?.token ?? randomText(43, of: tokenAlphabet)
    let response = await play.begin()
    guard request.prompt == AuthorizationRequest.Prompt.none, play.completed == nil else { return response }
    play.end()
    guard !play.isInBrowser else { throw .oauth("login_required", "the user has to sign on") }
    return .json(200, .loginRequired)
  }
}

extension Tenant {
  /// The first flow of that kind that a request names.
  func flow(for request: AuthorizationRequest, of kind: FlowKind) -> Flow? {
    request.acrValues.lazy.compactMap { self.flows.flow($0, kind.name) }.first
  }
}

extension SignOnPolicy {
  /// The flow by which all policies are played; each says which of its steps.
  static let flow = try? Flow(parsing: PackageResources.sign_on_json, file: "sign-on.json")
}

extension JSON {
  /// What a client is told that wants no interaction where one is needed.
  static let loginRequired: JSON = [
    "status": "FAILED", "error": ["code": "login_required", "message": "The user has to sign on."],
  ]
}
