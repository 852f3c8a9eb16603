internal import ControlAPI
public import JSON
public import JSONRPC
public import WebAddress

/// The metadata of an issuer, OpenID Connect Discovery 1.0 section 3.
///
/// Every endpoint is optional; code that needs an endpoint checks for it. All endpoints are on the issuer's
/// origin.
public struct ProviderMetadata: Sendable {
  /// The endpoints that mfad uses, with their names in the document.
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
  /// True if authorization requests must be pushed, RFC 9126 section 5.
  public let requiresPushedAuthorization: Bool
  /// True if authorization responses name their issuer, RFC 9207 section 3.
  public let namesIssuerInResponses: Bool

  private let endpoints: [Endpoint: WebURL]

  /// Parses a document; fails if it names another issuer or if an endpoint is on another origin.
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

  /// Returns the URL of an endpoint, or `nil` if the issuer has none.
  public subscript(_ endpoint: Endpoint) -> WebURL? { endpoints[endpoint] }
}

extension RPCError {
  /// Returns the error for an issuer without a required endpoint in its metadata.
  public static func issuerLacks(_ endpoint: ProviderMetadata.Endpoint, _ issuer: ProviderMetadata)
    -> RPCError
  {
    issuerFailed.withCause(.discovery, at: WebURL(issuer.issuer)?.origin)
      .withMessage("the issuer \(issuer.issuer) has no \(endpoint.rawValue) in its OpenID configuration")
  }
}
