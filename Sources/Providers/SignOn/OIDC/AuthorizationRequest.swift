internal import JOSE
internal import JSON
internal import OpenIDConnect
internal import OpenSSL
internal import Text

/// The parameters of one authorization request and the values to check its response with; OpenID Connect
/// Core section 3.1.2.1.
struct AuthorizationRequest: Sendable {
  let clientID: String
  let redirectURI: String
  let proofKey: ProofKey
  let state: String
  let nonce: String
  /// True if a redirect carries the response; false if the body of the HTTP response does (`pi.flow`).
  let isAnsweredByRedirect: Bool
  /// True if the request has a payload, which lets the issuer offer a pairing.
  let carriesPayload: Bool
  /// The parameters in sending order.
  let parameters: [(String, String)]

  /// Standard parameters that a caller may add.
  private static let allowedParameters: Set<String> = ["prompt", "login_hint", "ui_locales", "acr_values"]
  private static let ownParameters: Set<String> = [
    "response_type", "response_mode", "client_id", "scope", "redirect_uri", "state", "nonce",
    "code_challenge",
    "code_challenge_method", "mobilePayload", "request", "request_uri", "registration", "display", "max_age",
    "id_token_hint", "claims", "claims_locales", "resource", "audience", "dpop_jkt", "authorization_details",
    "client_secret", "client_assertion", "client_assertion_type",
  ]

  /// True if a caller may add this parameter: its name is not empty and not in `ownParameters`.
  static func mayAdd(_ name: String) -> Bool {
    allowedParameters.contains(name) || (!ownParameters.contains(name) && !name.isEmpty)
  }

  /// Creates a request for a code, with a new nonce and, unless `state` is given, a new state.
  ///
  /// With `isAnew`, the issuer must authenticate the user even if there is a session.
  init(
    clientID: String,
    redirectURI: String,
    scope: String,
    responseMode: String?,
    proofKey: ProofKey,
    state: String? = nil,
    mobilePayload: String? = nil,
    isAnew: Bool = false,
    extra: [(name: String, value: String)] = []
  ) throws {
    (self.clientID, self.redirectURI, self.proofKey) = (clientID, redirectURI, proofKey)
    let state = try state ?? ProofKey.random()
    (self.state, nonce) = (state, try ProofKey.random())
    (isAnsweredByRedirect, carriesPayload) = (responseMode == nil, mobilePayload != nil)
    var parameters = [("response_type", "code")]
    if let responseMode { parameters.append(("response_mode", responseMode)) }
    parameters += [
      ("client_id", clientID), ("scope", scope), ("redirect_uri", redirectURI), ("state", state),
      ("nonce", nonce), ("code_challenge", proofKey.challenge), ("code_challenge_method", "S256"),
    ]
    if let mobilePayload { parameters.append(("mobilePayload", mobilePayload)) }
    // `prompt=login` makes the issuer ignore the browser's session.
    if isAnew, !extra.contains(where: { $0.name == "prompt" }) { parameters.append(("prompt", "login")) }
    self.parameters = parameters + extra.map { ($0.name, $0.value) }
  }

  /// Returns the authorization code of a response to this request; checks `state` and, by RFC 9207, `iss`.
  ///
  /// The members come from the redirect's query or from DaVinci's `authorizeResponse`.
  func code(in response: JSONObject, from issuer: ProviderMetadata) throws(SignOnFailure) -> String {
    guard let state = response["state"]?.string, constantTimeEqual(Array(state.utf8), Array(self.state.utf8))
    else {
      throw .stateMismatch
    }
    switch response["iss"] {
    case nil:
      // RFC 9207 section 2.4: a redirect without `iss` may come from another issuer.
      guard !(isAnsweredByRedirect && issuer.namesIssuerInResponses) else { throw .stateMismatch }
    case .string(let text) where text.hasSameBytes(as: issuer.issuer): break
    default: throw .stateMismatch
    }
    if let error = response["error"]?.string {
      throw .refused(DisplayText.clean(response["error_description"]?.string ?? error), code: error)
    }
    guard let code = response["code"]?.string, !code.isEmpty else { throw .noCode }
    return code
  }
}

/// The secret of one authorization request and its challenge, RFC 7636 with S256.
struct ProofKey: Sendable {
  /// The secret, 43 characters.
  let verifier: String
  /// The SHA-256 digest of the secret as Base64URL, which the authorization request contains.
  let challenge: String

  init() throws { try self.init(verifier: Self.random()) }

  /// Creates a proof key with this secret.
  init(verifier: String) throws {
    self.verifier = verifier
    challenge = Base64URL.encode(try digest(Array(verifier.utf8), .sha256))
  }

  /// Returns 256 random bits as Base64URL, for secrets, `state` and `nonce`.
  static func random() throws -> String { Base64URL.encode(try randomBytes(32)) }
}
