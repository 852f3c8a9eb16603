import JSON
import WebAddress

/// What a client asks of the authorization endpoint, checked.
struct AuthorizationRequest: Sendable {
  let redirect: WebURL
  let scope: [String]
  let state: String?
  let nonce: String?
  let codeChallenge: String
  let payload: MobilePayload?
  /// Whether the client wants no interaction.
  let isSilent: Bool

  static let scopes: Set = ["openid", "profile", "email"]
}

extension Tenant {
  /// Checks the parameters of an authorization request, also of one that is pushed.
  func authorizationRequest(
    _ parameters: [String: String]
  ) throws(PingOneError) -> AuthorizationRequest {
    guard parameters["client_id"] == application.clientID else {
      throw .oauth("invalid_request", "the client is not known")
    }
    guard let redirect = parameters["redirect_uri"].flatMap({ WebURL($0) }), redirect.origin.isLoopback else {
      throw .invalid("redirect_uri", "Redirect URI mismatch")
    }
    guard parameters["response_type"] == "code" else {
      throw .oauth("unsupported_response_type", "only the response type code is supported")
    }
    guard parameters["response_mode"] == "pi.flow" else {
      throw .oauth("invalid_request", "only the response mode pi.flow is supported")
    }
    let scope = (parameters["scope"] ?? "").split(separator: " ").map { String($0) }
    guard scope.contains("openid"), AuthorizationRequest.scopes.isSuperset(of: scope) else {
      throw .oauth("invalid_scope", "the scope must contain openid and nothing unknown")
    }
    guard parameters["code_challenge_method"] == "S256", let challenge = parameters["code_challenge"],
      challenge.utf8.count == 43
    else { throw .oauth("invalid_request", "a code challenge by S256 is needed") }
    for name in ["state", "nonce"] where (parameters[name]?.utf8.count ?? 0) > 2048 {
      throw .oauth("invalid_request", "\(name) is too long")
    }
    // The payload comes last, because it is used up by this request.
    let payload: MobilePayload? =
      if let text = parameters["mobilePayload"] {
        try acceptPayload(text, clientID: application.clientID, codeChallenge: challenge)
      } else { nil }
    return AuthorizationRequest(
      redirect: redirect,
      scope: scope,
      state: parameters["state"],
      nonce: parameters["nonce"],
      codeChallenge: challenge,
      payload: payload,
      isSilent: parameters["prompt"] == "none"
    )
  }
}
