internal import Configuration
internal import ControlClient
internal import JSON
internal import WebAddress

/// Checks that an issuer accepts a client and its redirect URI, with the first request of a sign-on.
enum ClientProbe {
  /// A challenge of RFC 7636; the request is never continued, so no secret belongs to it.
  private static let challenge = String(repeating: "A", count: 43)

  /// Sends a pushed authorization request, RFC 9126; an authorization request if the issuer takes none.
  static func ask(
    _ configuration: Configuration,
    at issuer: String,
    _ waiter: Waiter
  ) throws(Failure) -> AddressProbe.Outcome {
    let discovery = ProbeRequest(url: issuer.droppingLastSlash + "/.well-known/openid-configuration")
    guard case .response("200", let body) = try discovery.send(by: configuration, waiter),
      let metadata = try? JSON(parsing: body)
    else { return .untried }
    let origin = WebURL(issuer)?.origin
    func endpoint(_ name: String) -> String? {
      metadata[name]?.string.flatMap { WebURL($0) }.flatMap { $0.origin == origin ? $0.text : nil }
    }
    let pushed = endpoint("pushed_authorization_request_endpoint")
    guard let url = pushed ?? endpoint("authorization_endpoint") else { return .untried }
    let parameters = [
      ("response_type", "code"), ("response_mode", "pi.flow"), ("scope", "openid"),
      ("client_id", configuration.clientID ?? ""), ("redirect_uri", configuration.redirectURI ?? ""),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]
    let request = ProbeRequest(
      url: url,
      arguments: (pushed == nil ? ["--get"] : []) + ["--header", "X-Requested-With: ping-sdk"]
        + parameters.flatMap { ["--data-urlencode", "\($0.0)=\($0.1)"] }
    )
    guard case .response(let status, let answer) = try request.send(by: configuration, waiter) else {
      return .untried
    }
    // A server error does not concern the client.
    return status.hasPrefix("4") ? .wrong(problem(status, try? JSON(parsing: answer))) : .there
  }

  /// The members of an error response, in the format of OAuth or of PingOne.
  private enum Member: String {
    case details, message, target, error
    case description = "error_description"
  }

  /// Returns the reason that an error response gives.
  private static func problem(_ status: String, _ error: JSON?) -> SafeText {
    func text(_ member: Member, of object: JSON?) -> String? { object?[member.rawValue]?.string }
    let detail = error?[Member.details.rawValue]?.array?.first
    let reason =
      text(.description, of: error) ?? text(.message, of: detail) ?? text(.message, of: error)
      ?? text(.error, of: error)
    guard let reason else { return "HTTP status \(status)" }
    return text(.target, of: detail).map { "\($0): \(reason)" } ?? "\(reason)"
  }
}
