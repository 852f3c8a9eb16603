import EventLoop
import HTTPServer
import JSON

/// The endpoints of the sandbox's OIDC providers: the platform's provider and one for each realm of AM.
///
/// Most endpoints of a realm have other paths than the endpoints of the platform.
@EventLoop
enum OIDCRoutes {
  /// Name of the endpoint in discovery, if it has one; its methods, its path, and its path at a realm.
  private typealias Row = (
    name: String?, methods: [String], path: String, realmPath: String?, run: Endpoint.Run
  )

  private static let (get, post, both) = (["GET"], ["POST"], ["GET", "POST"])
  private static let table: [Row] = [
    ("authorization_endpoint", both, "as/authorize", "authorize", Authorization.authorize),
    ("pushed_authorization_request_endpoint", post, "as/par", "par", Authorization.push),
    ("token_endpoint", post, "as/token", "access_token", TokenEndpoint.issue),
    ("userinfo_endpoint", both, "as/userinfo", "userinfo", UserInfo.read),
    ("jwks_uri", get, "as/jwks", "connect/jwk_uri", keys),
    ("revocation_endpoint", post, "as/revoke", "token/revoke", Revocation.revoke),
    ("introspection_endpoint", post, "as/introspect", nil, Revocation.introspect),
    ("end_session_endpoint", both, "as/signoff", "connect/endSession", SignOff.byBrowser),
    ("ping_end_idp_session_endpoint", both, "idp/signoff", nil, SignOff.silently),
    ("device_authorization_endpoint", post, "as/device_authorization", nil, DeviceGrants.start),
    (nil, get, "as/\(wellKnown)", wellKnown, configuration),
    (nil, get, "device", nil, VerificationPage.show),
    (nil, post, "device", nil, VerificationPage.submit),
  ]

  private static let wellKnown = ".well-known/openid-configuration"
  private static let realms = ["/am/oauth2/realms/root/realms/{realm}", "/am/oauth2/realms/root"]

  static let routes: [Route<Endpoint>] = table.flatMap { row -> [Route<Endpoint>] in
    let paths =
      ["/{environment}/\(row.path)"] + realms.compactMap { base in row.realmPath.map { "\(base)/\($0)" } }
    return paths.flatMap { path in row.methods.map { Route.anyone($0, path, row.run) } }
  }

  private static func configuration(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let provider = try call.provider()
    let modes = provider.realm == nil ? AuthorizationTarget.Mode.allCases : [.query]
    var body = JSONObject(of: [
      "issuer": provider.url, "require_pushed_authorization_requests": false,
      "response_types_supported": ["code"], "response_modes_supported": modes.map(\.rawValue),
      "grant_types_supported": TokenEndpoint.grants.keys.sorted(), "subject_types_supported": ["public"],
      "authorization_response_iss_parameter_supported": true,
      "scopes_supported": CheckedAuthorizationRequest.scopes.sorted(),
      "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"],
      "token_endpoint_auth_methods_supported": ["none"],
      "revocation_endpoint_auth_methods_supported": ["none"],
      "introspection_endpoint_auth_methods_supported": ["none"],
    ])
    for row in table {
      guard let name = row.name else { continue }
      let platform = "\(call.tenant.authenticationURL)/\(row.path)"
      let address = provider.realm == nil ? platform : row.realmPath.map { "\(provider.url)/\($0)" }
      body[name] = address?.json
    }
    return .plain(200, .object(body))
  }

  private static func keys(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    .plain(200, try call.tenant.tokenKeySet())
  }
}

/// A provider's issuer URL, without a trailing slash.
struct Issuer: Sendable {
  let url: String
  /// AM's realm, `nil` for the platform.
  let realm: String?
}

extension Tenant {
  func provider(realm: String?) -> Issuer {
    guard let realm else { return Issuer(url: issuer, realm: nil) }
    let below = realm == "root" ? "" : "/realms/\(realm)"
    return Issuer(url: "\(url)/am/oauth2/realms/root\(below)", realm: realm)
  }

  /// Returns the subject of a user in tokens.
  ///
  /// PingOne uses the identifier, PingAM since version 8 the identity type and the name.
  func subject(_ user: PlatformUser, realm: String?) -> String {
    realm == nil ? user.id.text : "(usr!\(user.username))"
  }
}

extension Call {
  func provider() throws(ErrorResponse) -> Issuer {
    guard parameters["environment"] == nil else { return tenant.provider(realm: nil) }
    guard let realm else { throw .notFound }
    return tenant.provider(realm: realm)
  }
}

@EventLoop
enum UserInfo {
  static func read(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let realm = try call.provider().realm
    guard let access = call.bearer.flatMap({ call.tenant.accessToken($0) }), access.realm == realm else {
      throw ErrorResponse.oauth("invalid_token", "the access token is not valid", status: 401)
        .challenging(#"Bearer error="invalid_token""#)
    }
    let scope = (access.claims["scope"]?.string ?? "").split(separator: " ").map { String($0) }
    let subject = call.tenant.subject(access.user, realm: realm)
    return .plain(["sub": subject], adding: access.user.claims(scope: scope))
  }
}

extension PlatformUser {
  func claims(scope: [String]) -> JSONObject {
    let isOpen = scope.contains("profile")
    return JSONObject(of: [
      "preferred_username": isOpen ? username : nil, "given_name": isOpen ? given : nil,
      "family_name": isOpen ? family : nil, "email": scope.contains("email") ? email : nil,
    ])
  }
}

// OAuth errors, RFC 6749 section 5.2.
extension ErrorResponse {
  static func oauth(_ code: String, _ description: String, status: Int = 400) -> ErrorResponse {
    let form: JSON = ["error": .string(code), "error_description": .string(description)]
    return ErrorResponse(status, code, description, form: form)
  }

  static func badRequest(_ description: String) -> ErrorResponse { .oauth("invalid_request", description) }

  static func badGrant(_ description: String) -> ErrorResponse { .oauth("invalid_grant", description) }
}
