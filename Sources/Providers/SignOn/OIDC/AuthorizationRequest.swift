internal import JOSE
internal import JSON
internal import OpenIDConnect
internal import OpenSSL
internal import Text

/// What one authorization request is made of, and what its response is known by; OpenID Connect Core section 3.1.2.1.
struct AuthorizationRequest: Sendable {
  let clientID: String
  let redirectURI: String
  let proofKey: ProofKey
  let state: String
  let nonce: String
  /// Whether the response comes by a redirect, and not on the connection of the request.
  let isAnsweredByRedirect: Bool
  /// Whether the request carries a payload, by which the platform offers to pair.
  let carriesPayload: Bool
  /// The parameters in the order in which they are sent.
  let parameters: [(String, String)]

  /// Parameters that a caller may add although a standard uses them.
  private static let allowedParameters: Set<String> = ["prompt", "login_hint", "ui_locales", "acr_values"]
  private static let ownParameters: Set<String> = [
    "response_type", "response_mode", "client_id", "scope", "redirect_uri", "state", "nonce",
    "code_challenge",
    "code_challenge_method", "mobilePayload", "request", "request_uri", "registration", "display", "max_age",
    "id_token_hint", "claims", "claims_locales", "resource", "audience", "dpop_jkt", "authorization_details",
    "client_secret", "client_assertion", "client_assertion_type",
  ]

  /// Whether a caller may add a parameter of that name: what this request says itself is not said twice.
  static func mayAdd(_ name: String) -> Bool {
    allowedParameters.contains(name) || (!ownParameters.contains(name) && !name.isEmpty)
  }

  /// A request for a code, with a new secret, state and nonce; one that is anew asks although there is a session.
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
    // A browser has sessions of its own, which only this makes the issuer leave aside.
    if isAnew, !extra.contains(where: { $0.name == "prompt" }) { parameters.append(("prompt", "login")) }
    self.parameters = parameters + extra.map { ($0.name, $0.value) }
  }

  /// The code of a response that belongs to this request, RFC 9207 included.
  ///
  /// The members are those of the redirect's query, or of DaVinci's `authorizeResponse`.
  func code(in response: JSONObject, from issuer: ProviderMetadata) throws(SignOnFailure) -> String {
    guard let state = response["state"]?.string, constantTimeEqual(Array(state.utf8), Array(self.state.utf8))
    else {
      throw .stateMismatch
    }
    switch response["iss"] {
    case nil:
      // RFC 9207 section 2.4: a redirect that does not say whose it is may be of another issuer.
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
  /// What the authorization request shows of it.
  let challenge: String

  init() throws { try self.init(verifier: Self.random()) }

  /// The secret of that text.
  init(verifier: String) throws {
    self.verifier = verifier
    challenge = Base64URL.encode(try digest(Array(verifier.utf8), .sha256))
  }

  /// 256 random bits as text, also for `state` and `nonce`.
  static func random() throws -> String { Base64URL.encode(try randomBytes(32)) }
}
