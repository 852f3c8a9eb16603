import EventLoop
import HTTPServer
import JSON

/// What clients find the OIDC endpoints and keys by.
@EventLoop
enum DiscoveryRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/as/.well-known/openid-configuration", configuration),
    .anyone("GET", "/{environment}/as/jwks", keys),
  ]

  static func configuration(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let provider = try call.provider()
    let modes = provider.realm == nil ? AuthorizationTarget.Mode.allCases : [.query]
    return .plain(
      200,
      .present(
        [("issuer", .string(provider.url))] + provider.endpoints.map { ($0, .string($1)) } + [
          ("require_pushed_authorization_requests", false),
          ("response_types_supported", ["code"]),
          ("response_modes_supported", .strings(modes.map(\.rawValue))),
          ("grant_types_supported", .strings(TokenRoutes.grants.keys.sorted())),
          ("authorization_response_iss_parameter_supported", true),
          ("subject_types_supported", ["public"]),
          ("scopes_supported", .strings(AuthorizationRequest.scopes.sorted())),
          ("id_token_signing_alg_values_supported", ["RS256"]),
          ("code_challenge_methods_supported", ["S256"]),
          ("token_endpoint_auth_methods_supported", ["none"]),
          ("revocation_endpoint_auth_methods_supported", ["none"]),
          ("introspection_endpoint_auth_methods_supported", ["none"]),
        ]
      )
    )
  }

  static func keys(_ call: Call) throws(PingOneError) -> HTTPResponse {
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
