internal import ControlAPI
public import JSON
public import JSONRPC
public import WebAddress

/// The metadata that an issuer publishes, OpenID Connect Discovery 1.0 section 3.
///
/// Every endpoint may be missing and is asked for where it is needed; all lie on the issuer's origin.
public struct ProviderMetadata: Sendable {
  /// The endpoints by which an issuer is used, named as in its document.
  public enum Endpoint: String, CaseIterable, Sendable {
    case authorization = "authorization_endpoint"
    case token = "token_endpoint"
    case pushedAuthorization = "pushed_authorization_request_endpoint"
    case keys = "jwks_uri"
    case userinfo = "userinfo_endpoint"
    case revocation = "revocation_endpoint"
    case endSession = "end_session_endpoint"
    /// PingOne's sign-off without a page.
    case endIdentityProviderSession = "ping_end_idp_session_endpoint"
    case deviceAuthorization = "device_authorization_endpoint"
  }

  public let issuer: String
  /// Whether authorization requests have to be pushed, RFC 9126 section 5.
  public let requiresPushedAuthorization: Bool
  /// Whether authorization responses name their issuer, RFC 9207 section 3.
  public let namesIssuerInResponses: Bool

  private let endpoints: [Endpoint: WebURL]

  /// Reads a document; `nil` if it is another issuer's or an endpoint lies elsewhere.
  public init?(_ document: JSON, issuer: String) {
    guard let origin = WebURL(issuer)?.origin, document["issuer"]?.string?.hasSameBytes(as: issuer) == true
    else {
      return nil
    }
    var endpoints: [Endpoint: WebURL] = [:]
    for endpoint in Endpoint.allCases {
      guard let text = document[endpoint.rawValue]?.string else { continue }
      guard let url = WebURL(text), url.origin == origin else { return nil }
      endpoints[endpoint] = url
    }
    self.issuer = issuer
    self.endpoints = endpoints
    requiresPushedAuthorization = document["require_pushed_authorization_requests"] == true
    namesIssuerInResponses = document["authorization_response_iss_parameter_supported"] == true
  }

  /// Where an endpoint is, if there is one.
  public subscript(_ endpoint: Endpoint) -> WebURL? { endpoints[endpoint] }
}

extension RPCError {
  /// An issuer whose metadata lacks an endpoint that is needed now.
  public static func issuerLacks(_ endpoint: ProviderMetadata.Endpoint, _ issuer: ProviderMetadata)
    -> RPCError
  {
    issuerFailed.because(.discovery, at: WebURL(issuer.issuer)?.origin)
      .saying("the issuer \(issuer.issuer) has no \(endpoint.rawValue) in its OpenID configuration")
  }
}
