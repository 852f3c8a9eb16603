import HTTPServer
import JSON
import WebAddress

/// Where the answer to an authorization request goes; it is checked first, since errors go there too.
struct AuthorizationTarget: Sendable {
  enum Mode: String, CaseIterable, Sendable {
    /// In the answer itself, as JSON.
    case flow = "pi.flow"
    /// By the browser, in the query of the redirect.
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
      return Refusal.invalid("redirect_uri", "Redirect URI is too long").response
    }
    return .redirect(location)
  }

  /// A refusal where the client waits for it, RFC 6749 section 4.1.2.1.
  func refusal(_ error: Refusal, issuer: String) -> HTTPResponse {
    guard mode == .query else { return error.response }
    let code = error.form?["error"]?.string ?? "invalid_request"
    let parameters = [("error", code), ("error_description", error.shortMessage)]
    return redirection(members(parameters, issuer: issuer))
  }
}

extension Tenant {
  func authorizationTarget(_ parameters: [String: String]) throws(Refusal) -> AuthorizationTarget {
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
  /// Whether an answer may go there: to a registered address, or without any to this machine.
  func allowsRedirect(to redirect: WebURL) -> Bool {
    guard !redirectURIs.isEmpty else { return redirect.origin.isLoopback }
    return redirectURIs.contains { WebURL($0)?.isRedirect(redirect) ?? false }
  }
}

extension WebURL {
  /// Whether a redirect is this one; a loopback redirect takes a port where it finds one.
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
