import EventLoop

/// An OIDC provider that the sandbox plays: its name, and where its endpoints are below it.
struct Issuer: Sendable {
  /// The issuer's identifier, without a slash at its end.
  let url: String
  /// AM's realm; `nil` for the platform itself.
  let realm: String?
  /// The addresses of its endpoints by their names in discovery.
  let endpoints: [(String, String)]
}

extension Tenant {
  /// The provider of a realm, or of the platform.
  func provider(realm: String?) -> Issuer {
    guard let realm else {
      return Issuer(
        url: issuer,
        realm: nil,
        endpoints: [
          ("authorization_endpoint", "\(issuer)/authorize"),
          ("pushed_authorization_request_endpoint", "\(issuer)/par"),
          ("token_endpoint", "\(issuer)/token"),
          ("userinfo_endpoint", "\(issuer)/userinfo"),
          ("jwks_uri", "\(issuer)/jwks"),
          ("revocation_endpoint", "\(issuer)/revoke"),
          ("introspection_endpoint", "\(issuer)/introspect"),
          ("end_session_endpoint", "\(issuer)/signoff"),
          ("ping_end_idp_session_endpoint", "\(authenticationURL)/idp/signoff"),
          ("device_authorization_endpoint", "\(issuer)/device_authorization"),
        ]
      )
    }
    let base = "\(url)/am/oauth2/realms/root" + (realm == "root" ? "" : "/realms/\(realm)")
    return Issuer(
      url: base,
      realm: realm,
      endpoints: [
        ("authorization_endpoint", "\(base)/authorize"),
        ("pushed_authorization_request_endpoint", "\(base)/par"),
        ("token_endpoint", "\(base)/access_token"),
        ("userinfo_endpoint", "\(base)/userinfo"),
        ("jwks_uri", "\(base)/connect/jwk_uri"),
        ("revocation_endpoint", "\(base)/token/revoke"),
        ("end_session_endpoint", "\(base)/connect/endSession"),
      ]
    )
  }

  /// What a provider calls a user: the platform by the identifier, AM by the name.
  func subject(_ user: User, realm: String?) -> String { realm == nil ? user.id.text : user.username }
}

extension Call {
  /// The provider whose endpoint was called.
  func provider() throws(PingOneError) -> Issuer {
    guard parameters["environment"] == nil else { return tenant.provider(realm: nil) }
    guard let realm else { throw .notFound }
    return tenant.provider(realm: realm)
  }
}
