internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import WebAddress

extension OIDCClient {
  /// Asks what the issuer says of the user, OpenID Connect Core section 5.3.
  func userinfo(_ tokens: Tokens) async throws -> JSONObject {
    let header = CourierHeader("Authorization", "Bearer \(tokens.accessToken)")
    let endpoint = try require(.userinfo)
    let response = try await asking { try await transport.send(.get, endpoint, headers: [header]) }
    if response.status == 401 || response.status == 403 { throw RPCError.expired }
    guard response.status == 200, let claims = (try? response.document)?.object else {
      throw RPCError.issuerFailed(response, at: endpoint)
    }
    return claims
  }

  /// Makes tokens worthless, RFC 7009: the refresh token if there is one, with which all of its family goes.
  func revoke(_ tokens: Tokens) async throws {
    guard let endpoint = issuer[.revocation] else { return }
    let form = [("client_id", clientID), ("token", tokens.refreshToken ?? tokens.accessToken)]
    let response = try await transport.post(form: form, to: endpoint)
    guard (200..<300).contains(response.status) else { throw RPCError.issuerFailed(response, at: endpoint) }
  }

  /// Ends the user's session at the issuer: by PingOne's own endpoint if there is one, which shows no page, else by
  /// that of OpenID Connect RP-Initiated Logout.
  func signOff(_ tokens: Tokens) async throws {
    guard let idToken = tokens.idToken,
      let endpoint = issuer[.endIdentityProviderSession] ?? issuer[.endSession],
      let url = endpoint.appending(query: [("id_token_hint", idToken), ("client_id", clientID)])
    else { return }
    // A redirect says as well that it was done.
    let response = try await transport.send(.get, url)
    guard (200..<400).contains(response.status) else { throw RPCError.issuerFailed(response, at: endpoint) }
  }
}
