public import ControlAPI
public import JOSE
public import JSON
internal import OpenSSL
internal import Text
public import Time

/// A verified OpenID Connect ID token; its only initializer verifies it.
public struct IDToken: Sendable {
  /// The properties that a token must have.
  public struct Expectation: Sendable {
    public let issuer: String
    /// The required audience.
    public let clientID: String
    /// The allowed signature algorithms.
    public let algorithms: Set<SignatureAlgorithm>
    /// The nonce of the request, if there was one.
    public let nonce: String?
    /// The access token of the same response, if there was one.
    public let accessToken: String?

    public init(
      issuer: String,
      clientID: String,
      algorithms: Set<SignatureAlgorithm>,
      nonce: String?,
      accessToken: String? = nil
    ) {
      (self.issuer, self.clientID, self.algorithms) = (issuer, clientID, algorithms)
      (self.nonce, self.accessToken) = (nonce, accessToken)
    }
  }

  /// The reason why a token is rejected.
  public enum Rejection: Error, Equatable {
    case notCompact, algorithm, type, signature, unknownKey, claims, issuer, audience, party, expired
    case notYetValid, nonce, accessToken, subject
  }

  public let user: User
  /// The ID of the user's environment; empty if the token does not name one.
  public let environment: String
  public let claims: JSONObject
  /// The expiry time of the token.
  public let expiresAt: Timestamp
  /// A digest that identifies the token.
  public let digest: [UInt8]

  private static let leeway = 60
  private static let maximumLength = 64 * 1024
  /// Maximum length of a subject, from OpenID Connect Core section 2; its format is not specified there.
  private static let longestSubject = 255

  /// Verifies a compact token according to OpenID Connect Core section 3.1.3.7 and RFC 8725.
  public init(
    verifying text: String,
    keys: JWKSet,
    _ expected: Expectation,
    now: Timestamp
  ) throws(Rejection) {
    let token = try Self.parse(text)
    guard let algorithm = SignatureAlgorithm(rawValue: token.header.algorithm),
      expected.algorithms.contains(algorithm)
    else { throw .algorithm }
    // Media types are case-insensitive, RFC 7515 section 4.1.9.
    guard ["jwt", "application/jwt"].contains(token.header.type?.lowercased() ?? "jwt") else { throw .type }
    let claims = try Self.verifiedClaims(token, keys, expected.algorithms)
    guard let issuer = claims["iss"]?.string, issuer.hasSameBytes(as: expected.issuer) else { throw .issuer }
    try Self.checkAudience(claims, expected.clientID)
    expiresAt = try Self.checkTimes(claims, now: now)
    try Self.checkNonce(claims, expected.nonce)
    try Self.checkAccessToken(claims, expected.accessToken, algorithm)
    guard let subject = claims["sub"]?.string,
      (1...Self.longestSubject).contains(subject.unicodeScalars.count)
    else { throw .subject }
    user = Self.user(subject, claims)
    environment = claims["env"]?.string.flatMap { $0.isIdentifier ? $0 : nil } ?? ""
    self.claims = claims
    // Exclude the signature: some algorithms allow several signatures for the same content.
    guard let digest = try? OpenSSL.digest(token.signingInput, .sha256) else { throw .notCompact }
    self.digest = digest
  }

  /// Returns the claims of a token with a valid signature, even if the token is rejected for its claims.
  static func signedClaims(_ text: String, keys: JWKSet, _ expected: Expectation) -> JSONObject? {
    try? verifiedClaims(parse(text), keys, expected.algorithms)
  }

  private static func parse(_ text: String) throws(Rejection) -> CompactJWS {
    do { return try CompactJWS(parsing: text, maximumLength: maximumLength) } catch { throw .notCompact }
  }

  private static func verifiedClaims(
    _ token: CompactJWS,
    _ keys: JWKSet,
    _ algorithms: Set<SignatureAlgorithm>
  ) throws(Rejection) -> JSONObject {
    let verified: VerifiedJWS
    do { verified = try token.verified(with: keys, allowing: algorithms) } catch {
      throw error == .unknownKey ? .unknownKey : .signature
    }
    do { return try verified.claims() } catch { throw .claims }
  }

  private static func checkAudience(_ claims: JSONObject, _ clientID: String) throws(Rejection) {
    let audiences: [JSON]
    switch claims["aud"] {
    case .string(let one): audiences = [.string(one)]
    case .array(let several): audiences = several
    default: throw .audience
    }
    guard audiences.contains(.string(clientID)), audiences.allSatisfy({ $0.string != nil }) else {
      throw .audience
    }
    guard let party = claims["azp"] else {
      guard audiences.count == 1 else { throw .party }
      return
    }
    guard party == .string(clientID) else { throw .party }
  }

  private static func checkTimes(_ claims: JSONObject, now: Timestamp) throws(Rejection) -> Timestamp {
    guard let expiry = claims["exp"]?.numericDate, let issued = claims["iat"]?.numericDate else {
      throw .claims
    }
    guard now.seconds < expiry.addingClamped(leeway) else { throw .expired }
    guard issued <= now.seconds + leeway, issued <= expiry else { throw .notYetValid }
    if let start = claims["nbf"] {
      guard let start = start.numericDate else { throw .claims }
      guard start <= now.seconds + leeway else { throw .notYetValid }
    }
    return Timestamp(seconds: expiry)
  }

  private static func checkNonce(_ claims: JSONObject, _ expected: String?) throws(Rejection) {
    guard let expected else { return }
    guard let nonce = claims["nonce"]?.string, constantTimeEqual(Array(nonce.utf8), Array(expected.utf8))
    else {
      throw .nonce
    }
  }

  /// Checks that a token with `at_hash` matches its access token, OpenID Connect Core section 3.1.3.8.
  private static func checkAccessToken(
    _ claims: JSONObject,
    _ accessToken: String?,
    _ algorithm: SignatureAlgorithm
  ) throws(Rejection) {
    guard let accessToken, let claim = claims["at_hash"] else { return }
    guard let hash = claim.string, let digest = try? OpenSSL.digest(Array(accessToken.utf8), algorithm.hash),
      hash.hasSameBytes(as: Base64URL.encode(Array(digest.prefix(digest.count / 2))))
    else { throw .accessToken }
  }

  private static func user(_ subject: String, _ claims: JSONObject) -> User {
    let shown = { (name: String) in
      claims[name]?.string.map { DisplayText.clean($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    return User(
      id: subject,
      username: shown("preferred_username"),
      email: shown("email"),
      given: shown("given_name"),
      family: shown("family_name")
    )
  }
}

extension JSON {
  /// The whole seconds of a NumericDate, which may have a fraction, RFC 7519 section 2.
  var numericDate: Int? {
    int ?? double.flatMap { Int(exactly: $0.rounded(.down)) }
  }
}

extension Int {
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
