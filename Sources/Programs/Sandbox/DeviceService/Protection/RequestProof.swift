import HTTPServer
import JOSE
import JSON
import Time

/// The proof of the sender in the header `Device-Proof`, similar to DPoP (RFC 9449).
///
/// A compact JWS (`typ: device-proof+jwt`, ES256) by the device key. `kid` names the key; while the device is
/// unknown, `jwk` contains it. The claims are `sub` (the device, absent while it is unknown), `htm`, `htu`
/// with query, `iat`, `jti`, `bh` and, without a body, `ak`.
struct RequestProof {
  static let header = "Device-Proof"
  static let maximumSkew = 60

  let token: CompactJWS
  let keyThumbprint: String
  let key: JWK?
  /// Identifier of the proof; until `verify` succeeds, it may only name the request in the response.
  let claimedID: String

  init(_ request: HTTPRequest) throws(ErrorResponse) {
    let headers = request.headers.values(Self.header)
    guard headers.count == 1, let text = headers.first, text.utf8.count <= 8 * 1024,
      let token = try? CompactJWS(parsing: text), token.header.type == "device-proof+jwt"
    else { throw .invalidProof("is missing or malformed") }
    self.token = token
    key = token.header.jwk.flatMap(JWK.p256)
    guard let thumbprint = token.header.keyID ?? key?.thumbprint else { throw .invalidProof("names no key") }
    guard key == nil || key?.thumbprint == thumbprint else { throw .invalidProof("names two keys") }
    keyThumbprint = thumbprint
    guard let id = unverifiedClaims(of: text)?["jti"]?.string, (8...128).contains(id.utf8.count) else {
      throw .invalidProof("has no jti of 8 to 128 bytes")
    }
    claimedID = id
  }

  func verify(
    with key: JWK,
    device: ID<TrustedDevice>?,
    _ request: HTTPRequest,
    _ sealed: SealedRequest,
    platform: String
  ) throws(ErrorResponse) -> Timestamp {
    guard let verified = try? token.verified(with: key, allowing: [.es256]),
      let claims = try? verified.claims()
    else { throw .invalidProof("is not signed by its key") }
    // A device that did not get its first response does not know its identifier, so `sub` may be absent.
    let subject = self.key != nil && claims["sub"] == nil ? nil : device?.text
    let expected: [(String, String?)] = [
      ("sub", subject), ("htm", request.method), ("htu", platform + request.target), ("bh", sealed.bodyHash),
      ("ak", sealed.answerKeyHash),
    ]
    for (name, value) in expected where claims[name]?.string != value {
      throw .invalidProof("has a different \(name) than the request")
    }
    guard let made = claims["iat"]?.int else { throw .invalidProof("has no iat") }
    return Timestamp(seconds: made)
  }
}

/// Returns the claims of a token without verification.
///
/// The token must be verified before the claims are trusted.
func unverifiedClaims(of token: String) -> JSONObject? {
  let segments = token.split(separator: ".", omittingEmptySubsequences: false)
  guard segments.count == 3, let payload = Base64URL.decode(segments[1]) else { return nil }
  return (try? JSON(parsing: payload))?.object
}

struct UsedToken: Stored, Codable {
  let id: ID<UsedToken>
  let end: Timestamp
}

/// Remembers single-use tokens until they expire.
struct ReplayGuard {
  var used = RecordStore<UsedToken>()
  private var nextCleaning = Timestamp(seconds: 0)

  /// Notes the use of a token; returns false if the token was used before.
  mutating func use(_ identifier: String, until end: Timestamp, now: Timestamp) -> Bool {
    if now >= nextCleaning {
      used.removeAll { $0.end <= now }
      nextCleaning = now.adding(seconds: 60)
    }
    let token = UsedToken(id: ID(identifier), end: end)
    guard used[token.id] == nil else { return false }
    used.put(token)
    return true
  }
}
