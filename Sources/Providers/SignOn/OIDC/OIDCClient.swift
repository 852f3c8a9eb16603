internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import OpenIDConnect
internal import Time
internal import WebAddress

/// The daemon as a public OpenID Connect client of one issuer.
@EventLoop
struct OIDCClient {
  let issuer: ProviderMetadata
  let clientID: String
  let redirectURI: String
  let scope: String
  var transport: SignOnTransport
  let time: TimeSource

  /// Sends an authorization request.
  ///
  /// To keep parameters out of URLs, it tries a pushed request, then a form, and the query last; RFC 9126,
  /// OpenID Connect Core section 3.1.2.1.
  func authorize(_ request: AuthorizationRequest, headers: [CourierHeader] = []) async throws
    -> CourierResponse
  {
    let endpoint = try require(.authorization)
    let reference = try await pushed(request)
    let form = reference ?? request.parameters
    let type = CourierHeader("Content-Type", "application/x-www-form-urlencoded")
    let body = Array(FormEncoding.encode(form).utf8)
    let response = try await transport.send(.post, endpoint, headers: headers + [type], body: body)
    guard [404, 405, 415, 501].contains(response.status), let url = endpoint.appending(query: form) else {
      return response
    }
    return try await transport.send(.get, url, headers: headers)
  }

  /// Returns the URL of an authorization request for a browser.
  func authorizationURL(_ request: AuthorizationRequest) async throws -> WebURL {
    let endpoint = try require(.authorization)
    guard let url = endpoint.appending(query: try await pushed(request) ?? request.parameters) else {
      throw RPCError.issuerFailed.withCause(.malformed, at: endpoint.origin)
    }
    return url
  }

  /// Sends a request to the endpoint for pushed requests and returns the parameters that refer to it.
  ///
  /// Returns `nil` if the issuer has no such endpoint, or if the endpoint rejects the request but the issuer
  /// does not require pushed requests.
  private func pushed(_ request: AuthorizationRequest) async throws -> [(String, String)]? {
    guard let endpoint = issuer[.pushedAuthorization] else { return nil }
    let response = try await asking { try await transport.post(form: request.parameters, to: endpoint) }
    if let error = OAuthError(response), error.code == "invalid_scope" { throw SignOnFailure.refused(error) }
    // Some issuers reject parameters here that their authorization endpoint accepts.
    if (400..<500).contains(response.status), !issuer.requiresPushedAuthorization { return nil }
    guard response.status == 201 || response.status == 200, let json = try? JSON(parsing: response.body),
      let reference = json["request_uri"]?.string, !reference.isEmpty
    else { throw RPCError.issuerFailed(response, at: endpoint) }
    return [("client_id", request.clientID), ("request_uri", reference)]
  }

  /// Exchanges the code of an authorization response, RFC 7636 section 4.5.
  func exchange(_ code: String, of request: AuthorizationRequest) async throws -> Tokens {
    try await tokens([
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
      ("client_id", clientID), ("code_verifier", request.proofKey.verifier),
    ])
  }

  /// Exchanges a refresh token; members missing from the response keep their old values.
  func refresh(_ old: Tokens) async throws -> Tokens {
    guard let refreshToken = old.refreshToken else { throw RPCError.expired }
    return try await tokens([
      ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("client_id", clientID),
    ]).completed(by: old)
  }

  /// Requests tokens; throws an `OAuthError` if the token endpoint refuses.
  func tokens(_ form: [(String, String)]) async throws -> Tokens {
    try tokens(in: try await tokenResponse(form))
  }

  /// Sends a request to the token endpoint and returns the response with any status.
  func tokenResponse(_ form: [(String, String)]) async throws -> CourierResponse {
    let endpoint = try require(.token)
    return try await asking { try await transport.post(form: form, to: endpoint) }
  }

  /// Reads a response of the token endpoint; throws an `OAuthError` if the endpoint refuses.
  func tokens(in response: CourierResponse) throws -> Tokens {
    if response.status == 200, let json = try? response.document,
      let tokens = Tokens(json, now: time.now())
    {
      return tokens
    }
    if (400..<500).contains(response.status), let error = OAuthError(response) { throw error }
    throw RPCError.issuerFailed(response, at: try require(.token))
  }

  /// Returns the URL of an endpoint; throws if the issuer does not have it.
  func require(_ endpoint: ProviderMetadata.Endpoint) throws -> WebURL {
    guard let url = issuer[endpoint] else { throw RPCError.issuerLacks(endpoint, issuer) }
    return url
  }

  /// Runs a request to an endpoint that sends no sign-on steps; replaces `SignOnFailure` by `issuerFailed`.
  func asking<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch is SignOnFailure {
      throw RPCError.issuerFailed.withCause(.malformed, at: transport.origin)
    }
  }
}

extension OIDCClient {
  /// Returns the issuer's claims about the user, OpenID Connect Core section 5.3.
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

  /// Revokes the refresh token or, without one, the access token, RFC 7009.
  ///
  /// The issuer should then also revoke the access tokens of the refresh token.
  func revoke(_ tokens: Tokens) async throws {
    guard let endpoint = issuer[.revocation] else { return }
    let form = [("client_id", clientID), ("token", tokens.refreshToken ?? tokens.accessToken)]
    let response = try await transport.post(form: form, to: endpoint)
    guard (200..<300).contains(response.status) else { throw RPCError.issuerFailed(response, at: endpoint) }
  }

  /// Ends the user's session at the issuer.
  ///
  /// Prefers PingOne's own endpoint, which shows no page, to OpenID Connect RP-Initiated Logout.
  func signOff(_ tokens: Tokens) async throws {
    guard let idToken = tokens.idToken,
      let endpoint = issuer[.endIdentityProviderSession] ?? issuer[.endSession],
      let url = endpoint.appending(query: [("id_token_hint", idToken), ("client_id", clientID)])
    else { return }
    // A redirect also indicates success.
    let response = try await transport.send(.get, url)
    guard (200..<400).contains(response.status) else { throw RPCError.issuerFailed(response, at: endpoint) }
  }
}
