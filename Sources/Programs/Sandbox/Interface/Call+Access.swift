import HTTPServer
import JSON

extension Call {
  private static let scheme = "Bearer "

  /// The token of the request.
  var bearer: Substring? {
    guard let header = request.headers["authorization"], header.hasPrefix(Self.scheme) else { return nil }
    return header.dropFirst(Self.scheme.count)
  }

  var isAdministrator: Bool { isSameSecret(String(bearer ?? ""), tenant.adminToken) }

  /// Refuses a request that has no business at an endpoint: without a token that is good, with one that is for
  /// something else, or for somebody else's devices.
  func require(_ access: Endpoint.Access) throws(Refusal) {
    if case .anyone = access { return }
    guard !isAdministrator else { return }
    guard let token = bearer.flatMap({ tenant.accessToken($0) }), token.realm == nil else {
      throw .unauthorized
    }
    guard case .owner(let scope) = access, token.user.id.text == parameters["user"],
      (token.claims["scope"]?.string ?? "").split(separator: " ").contains(Substring(scope))
    else { throw .accessFailed }
  }
}
