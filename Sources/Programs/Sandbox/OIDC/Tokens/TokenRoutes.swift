import EventLoop
import HTTPServer
import JSON

/// `token`: tokens for what a grant type has.
enum TokenRoutes {
  static let routes: [Route<Endpoint>] = [.anyone("POST", "/{environment}/as/token", issue)]

  /// What a grant type makes of the parameters.
  typealias Grant = @EventLoop @Sendable ([String: String], Call) throws(PingOneError) -> HTTPResponse

  /// The grant types by name.
  static let grants: [String: Grant] = [
    "authorization_code": CodeGrant.tokens,
    "refresh_token": RefreshGrant.tokens,
    "urn:ietf:params:oauth:grant-type:device_code": DeviceGrantPoll.tokens,
  ]

  @EventLoop
  static func issue(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let parameters = try call.clientForm()
    guard let grant = grants[parameters["grant_type"] ?? ""] else {
      throw .oauth("unsupported_grant_type", "the grant type is not supported")
    }
    return try grant(parameters, call)
  }
}

extension Call {
  /// The parameters of a form by the client, which is public: it has a name and no secret.
  func clientForm() throws(PingOneError) -> [String: String] {
    let parameters = try form()
    guard parameters["client_id"] == tenant.application.clientID, parameters["client_secret"] == nil,
      request.headers["authorization"] == nil
    else {
      throw .oauth("invalid_client", "the client is not known, or is public and has a secret", status: 401)
    }
    return parameters
  }
}

extension Tenant {
  /// The answer with fresh tokens of a family.
  ///
  /// A refresh token comes along if it is given; the other claims are for the ID token.
  func tokenAnswer(
    of family: TokenFamily,
    scope: [String],
    refreshToken: String?,
    claims: @EventLoop (User) -> [(String, JSON?)] = { _ in [] }
  ) throws(PingOneError) -> HTTPResponse {
    guard let user = users[family.user] else { throw .oauth("invalid_grant", "the user is gone") }
    let accessToken = try makeAccessToken(of: family, scope: scope)
    let idToken = try idToken(
      of: family,
      user: user,
      scope: scope,
      accessToken: accessToken,
      more: claims(user)
    )
    return .plain(
      200,
      .present([
        ("access_token", .string(accessToken)), ("token_type", "Bearer"),
        ("expires_in", .int(oidcSettings.accessTokenSeconds)),
        ("scope", .string(scope.joined(separator: " "))), ("id_token", .string(idToken)),
        ("refresh_token", refreshToken.map { .string($0) }),
      ])
    )
  }

  /// The refresh token that a new family begins with, if its scope asks for one.
  func firstRefreshToken(of family: TokenFamily) throws(PingOneError) -> String? {
    family.scope.contains("offline_access") ? try makeRefreshToken(of: family) : nil
  }
}
