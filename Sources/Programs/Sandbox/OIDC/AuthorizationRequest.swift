/// What a client asks of the authorization endpoint, checked.
struct AuthorizationRequest: Sendable {
  enum Prompt: String, Sendable {
    case none
    /// The user signs on, also with a session.
    case login
  }

  let target: AuthorizationTarget
  let scope: [String]
  let nonce: String?
  let codeChallenge: String
  let payload: MobilePayload?
  let prompt: Prompt?
  /// The names of policies or flows, one of which is to be played.
  let acrValues: [String]
  let loginHint: String?

  static let scopes: Set = ["openid", "profile", "email", "offline_access"]
}

extension Tenant {
  /// Checks the parameters of an authorization request, also of one that is pushed.
  func authorizationRequest(_ parameters: [String: String], to target: AuthorizationTarget) throws(Refusal)
    -> AuthorizationRequest
  {
    guard parameters["response_type"] == "code" else {
      throw .oauth("unsupported_response_type", "only the response type code is supported")
    }
    let scope = try scope(parameters["scope"])
    guard parameters["code_challenge_method"] == "S256", let challenge = parameters["code_challenge"],
      challenge.utf8.count == 43
    else { throw .badRequest("a code challenge by S256 is needed") }
    for (name, maximum) in [("nonce", 2048), ("acr_values", 1024), ("login_hint", 1024)] {
      guard (parameters[name]?.utf8.count ?? 0) <= maximum else { throw .badRequest("\(name) is too long") }
    }
    let prompt = parameters["prompt"].flatMap(AuthorizationRequest.Prompt.init)
    guard prompt != nil || parameters["prompt"] == nil else {
      throw .badRequest("prompt must be none or login")
    }
    // The payload comes last, because it is used up by this request.
    let payload: MobilePayload? =
      if let text = parameters["mobilePayload"] {
        try acceptPayload(text, clientID: application.clientID, codeChallenge: challenge)
      } else { nil }
    return AuthorizationRequest(
      target: target,
      scope: scope,
      nonce: parameters["nonce"],
      codeChallenge: challenge,
      payload: payload,
      prompt: prompt,
      acrValues: (parameters["acr_values"] ?? "").split(separator: " ").map { String($0) },
      loginHint: parameters["login_hint"]
    )
  }

  /// What of a scope the client is given: what it was not granted is left out, or refused where a test wants that.
  func scope(_ text: String?, canManage: Bool = true) throws(Refusal) -> [String] {
    let scope = (text ?? "").split(separator: " ").map { String($0) }
    let known = AuthorizationRequest.scopes.union(Application.selfServiceScopes)
    guard scope.contains("openid"), known.isSuperset(of: scope) else {
      throw .oauth("invalid_scope", "the scope must contain openid and nothing unknown")
    }
    let granted = canManage ? application.scopes : []
    let given = scope.filter { AuthorizationRequest.scopes.contains($0) || granted.contains($0) }
    guard given.count == scope.count || !self.oidcSettings.refusesUngrantedScopes else {
      throw .oauth("invalid_scope", "the application was not granted all scopes")
    }
    return given
  }
}
