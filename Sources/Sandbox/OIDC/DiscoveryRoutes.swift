import EventLoop
import HTTPServer
import JSON

/// What clients find the OIDC endpoints and keys by.
enum DiscoveryRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/as/.well-known/openid-configuration", configuration),
    .anyone("GET", "/{environment}/as/jwks", keys),
  ]

  @EventLoop
  private static func configuration(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let issuer = call.tenant.issuer
    return .plain(
      200,
      [
        "issuer": .string(issuer),
        "authorization_endpoint": .string("\(issuer)/authorize"),
        "pushed_authorization_request_endpoint": .string("\(issuer)/par"),
        "require_pushed_authorization_requests": false,
        "token_endpoint": .string("\(issuer)/token"),
        "userinfo_endpoint": .string("\(issuer)/userinfo"),
        "jwks_uri": .string("\(issuer)/jwks"),
        "revocation_endpoint": .string("\(issuer)/revoke"),
        "introspection_endpoint": .string("\(issuer)/introspect"),
        "end_session_endpoint": .string("\(issuer)/signoff"),
        "ping_end_idp_session_endpoint": .string("\(call.tenant.authenticationURL)/idp/signoff"),
        "device_authorization_endpoint": .string("\(issuer)/device_authorization"),
        "response_types_supported": ["code"],
        "response_modes_supported": .strings(AuthorizationTarget.Mode.allCases.map(\.rawValue)),
        "grant_types_supported": .strings(TokenRoutes.grants.keys.sorted()),
        "authorization_response_iss_parameter_supported": true,
        "subject_types_supported": ["public"],
        "scopes_supported": .strings(AuthorizationRequest.scopes.sorted()),
        "id_token_signing_alg_values_supported": ["RS256"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "introspection_endpoint_auth_methods_supported": ["none"],
      ]
    )
  }

  @EventLoop
  private static func keys(_ call: Call) throws(PingOneError) -> HTTPResponse {
    .plain(200, try call.tenant.tokenKeySet())
  }
}

extension HTTPResponse {
  /// An answer of an OIDC endpoint, which is no HAL resource.
  static func plain(_ status: Int, _ value: JSON) -> HTTPResponse {
    let headers = HTTPHeaders([("Content-Type", "application/json"), ("Cache-Control", "no-store")])
    return HTTPResponse(status: status, headers: headers, body: value.serialized)
  }
}
