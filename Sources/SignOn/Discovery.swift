internal import JSON
internal import WebAddress

/// What an issuer says of itself, OpenID Connect Discovery 1.0 section 3.
///
/// Every endpoint may be missing and is asked for where it is needed; all lie on the issuer's origin.
struct Discovery: Sendable {
  let issuer: String
  let authorization: WebURL?
  let token: WebURL?
  let pushedAuthorization: WebURL?
  let keys: WebURL?

  /// Reads a document; `nil` if it is another issuer's or an endpoint lies elsewhere.
  init?(_ document: JSON, issuer: String) {
    guard let origin = WebURL(issuer)?.origin, document["issuer"]?.string?.hasSameBytes(as: issuer) == true
    else {
      return nil
    }
    let names = [
      "authorization_endpoint", "token_endpoint", "pushed_authorization_request_endpoint", "jwks_uri",
    ]
    var endpoints: [String: WebURL] = [:]
    for name in names {
      guard let text = document[name]?.string else { continue }
      guard let url = WebURL(text), url.origin == origin else { return nil }
      endpoints[name] = url
    }
    self.issuer = issuer
    authorization = endpoints["authorization_endpoint"]
    token = endpoints["token_endpoint"]
    pushedAuthorization = endpoints["pushed_authorization_request_endpoint"]
    keys = endpoints["jwks_uri"]
  }
}
