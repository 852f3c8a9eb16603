import HTTPServer
import JSON
import WebAddress

/// A valid request to the authorization endpoint.
struct CheckedAuthorizationRequest: Sendable {
  enum Prompt: String, Sendable {
    case none
    /// The user must sign on, even with a session.
    case login
  }

  let target: AuthorizationTarget
  let scope: [String]
  let nonce: String?
  let codeChallenge: String
  let payload: MobilePayload?
  let prompt: Prompt?
  /// Names of policies or flows; the first known one is used.
  let acrValues: [String]
  let loginHint: String?

  static let scopes: Set = ["openid", "profile", "email", "offline_access"]
}

extension Tenant {
  /// Checks the parameters of a direct or pushed authorization request.
  func authorizationRequest(_ parameters: [String: String], to target: AuthorizationTarget)
    throws(ErrorResponse)
    -> CheckedAuthorizationRequest
  {
    guard parameters["response_type"] == "code" else {
      throw .oauth("unsupported_response_type", "only the response type code is supported")
    }
    let scope = try scope(parameters["scope"])
    guard parameters["code_challenge_method"] == "S256", let challenge = parameters["code_challenge"],
      challenge.utf8.count == 43
    else { throw .badRequest("a code challenge with S256 is required") }
    for (name, maximum) in [("nonce", 2048), ("acr_values", 1024), ("login_hint", 1024)] {
      guard (parameters[name]?.utf8.count ?? 0) <= maximum else { throw .badRequest("\(name) is too long") }
    }
    let prompt = parameters["prompt"].flatMap(CheckedAuthorizationRequest.Prompt.init)
    guard prompt != nil || parameters["prompt"] == nil else {
      throw .badRequest("prompt must be none or login")
    }
    // Check the payload last, since the check uses it up.
    let payload: MobilePayload? =
      if let text = parameters["mobilePayload"] {
        try acceptPayload(text, clientID: application.clientID, codeChallenge: challenge)
      } else { nil }
    return CheckedAuthorizationRequest(
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

  /// Returns the scope that the client gets.
  ///
  /// Scopes that the client was not granted are omitted, or rejected with `refusesUngrantedScopes`.
  func scope(_ text: String?, canManage: Bool = true) throws(ErrorResponse) -> [String] {
    let scope = (text ?? "").split(separator: " ").map { String($0) }
    let known = CheckedAuthorizationRequest.scopes.union(Application.selfServiceScopes)
    guard scope.contains("openid"), known.isSuperset(of: scope) else {
      throw .oauth("invalid_scope", "the scope must contain openid and nothing unknown")
    }
    let granted = canManage ? application.scopes : []
    let given = scope.filter { CheckedAuthorizationRequest.scopes.contains($0) || granted.contains($0) }
    guard given.count == scope.count || !self.oidcSettings.refusesUngrantedScopes else {
      throw .oauth("invalid_scope", "the application was not granted all scopes")
    }
    return given
  }
}

/// The target of the authorization response; it is checked first, since errors are also sent to it.
struct AuthorizationTarget: Sendable {
  enum Mode: String, CaseIterable, Sendable {
    /// In the response body, as JSON.
    case flow = "pi.flow"
    /// In the query of a redirect in the browser.
    case query
  }

  let redirect: WebURL
  let mode: Mode
  let state: String?

  func members(_ members: [(String, String)], issuer: String) -> [(String, String)] {
    members + [("state", state), ("iss", issuer)].compactMap { name, value in value.map { (name, $0) } }
  }

  func redirection(_ parameters: [(String, String)]) -> HTTPResponse {
    guard let location = redirect.appending(query: parameters) else {
      return ErrorResponse.invalid("redirect_uri", "Redirect URI is too long").response
    }
    return .redirect(location)
  }

  /// Returns an error in the form that the client expects, RFC 6749 section 4.1.2.1.
  func refusal(_ error: ErrorResponse, issuer: String) -> HTTPResponse {
    guard mode == .query else { return error.response }
    let code = error.form?["error"]?.string ?? "invalid_request"
    let parameters = [("error", code), ("error_description", error.shortMessage)]
    return redirection(members(parameters, issuer: issuer))
  }
}

extension Tenant {
  func authorizationTarget(_ parameters: [String: String]) throws(ErrorResponse) -> AuthorizationTarget {
    guard parameters["client_id"] == application.clientID else {
      throw .badRequest("the client is not known")
    }
    guard let redirect = parameters["redirect_uri"].flatMap({ WebURL($0) }),
      application.allowsRedirect(to: redirect)
    else { throw .invalid("redirect_uri", "Redirect URI mismatch") }
    guard let mode = AuthorizationTarget.Mode(rawValue: parameters["response_mode"] ?? "query") else {
      throw .badRequest("the response mode is not supported")
    }
    guard (parameters["state"]?.utf8.count ?? 0) <= 2048 else { throw .badRequest("state is too long") }
    return AuthorizationTarget(redirect: redirect, mode: mode, state: parameters["state"])
  }
}

extension Application {
  /// Returns true if a response may be sent to this URL: a registered URL, or any URL of this machine if no
  /// URL is registered.
  func allowsRedirect(to redirect: WebURL) -> Bool {
    guard !redirectURIs.isEmpty else { return redirect.origin.isLoopback }
    return redirectURIs.contains { WebURL($0)?.isRedirect(redirect) ?? false }
  }
}

extension WebURL {
  /// Returns true if `other` matches this URL; for loopback redirects the port may differ.
  func isRedirect(_ other: WebURL) -> Bool {
    guard origin.isLoopback else { return self == other }
    return origin.scheme == other.origin.scheme && origin.host == other.origin.host && path == other.path
      && query == other.query
  }
}

extension HTTPResponse {
  static func redirect(_ location: WebURL) -> HTTPResponse {
    HTTPResponse(status: 302).with("Location", location.text).with("Cache-Control", "no-store")
  }
}
