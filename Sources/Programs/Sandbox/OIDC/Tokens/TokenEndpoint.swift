import EventLoop
import HTTPServer
import JSON

@EventLoop
enum TokenEndpoint {
  typealias Grant = @EventLoop @Sendable ([String: String], Call) throws(ErrorResponse) -> HTTPResponse

  static let grants: [String: Grant] = [
    "authorization_code": CodeGrant.tokens, "refresh_token": RefreshGrant.tokens,
    "urn:ietf:params:oauth:grant-type:device_code": DeviceGrants.tokens,
  ]

  static func issue(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let parameters = try call.clientForm()
    guard let grant = grants[parameters["grant_type"] ?? ""] else {
      throw .oauth("unsupported_grant_type", "the grant type is not supported")
    }
    return try grant(parameters, call)
  }
}

extension Call {
  /// Returns the form parameters of the client, a public client with an identifier and without a secret.
  func clientForm() throws(ErrorResponse) -> [String: String] {
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
  /// Returns the first tokens of a family, with a refresh token if the scope requests one.
  func firstTokens(of family: TokenFamily, claims: @EventLoop (PlatformUser) -> JSONObject = { _ in [:] })
    throws(ErrorResponse) -> HTTPResponse
  {
    let refreshToken = family.scope.contains("offline_access") ? try makeRefreshToken(of: family) : nil
    return try tokens(of: family, scope: family.scope, refreshToken: refreshToken, claims: claims)
  }

  func tokens(
    of family: TokenFamily,
    scope: [String],
    refreshToken: String?,
    claims: @EventLoop (PlatformUser) -> JSONObject = { _ in [:] }
  ) throws(ErrorResponse) -> HTTPResponse {
    guard let user = users[family.session.user] else { throw .badGrant("the user was deleted") }
    let accessToken = try makeAccessToken(of: family, scope: scope)
    let more = claims(user).adding(user.claims(scope: ["profile"] + scope))
    let idToken = try idToken(of: family, user: user, accessToken: accessToken, claims: more)
    return .plain([
      "access_token": accessToken, "token_type": "Bearer", "expires_in": self.oidcSettings.accessTokenSeconds,
      "scope": scope.joined(separator: " "), "id_token": idToken, "refresh_token": refreshToken,
    ])
  }
}
