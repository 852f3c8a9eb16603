import EventLoop
import JOSE
import JSON
import Time

/// The key of a device that a user has bound, as AM keeps it.
struct DeviceKey: Codable, Sendable {
  /// What the device calls itself.
  let deviceID: String
  /// The public half, as the device sent it.
  let jwk: String

  /// What it is called by who signs.
  var id: String? { json?["kid"]?.string }

  var json: JSON? { try? JSON(parsing: jwk) }
}

/// A token by which a device shows that it has a key, judged as AM's nodes for device binding judge it.
struct KeyProof {
  let header: JOSEHeader
  private let token: CompactJWS

  /// How far the clocks of both may differ, in seconds.
  private static let skew = 30
  private static let algorithms: Set<SignatureAlgorithm> = [
    .rs256, .rs384, .rs512, .es256, .es384, .es512,
  ]

  init?(_ text: String) {
    guard let token = try? CompactJWS(parsing: text) else { return nil }
    (self.token, header) = (token, token.header)
  }

  /// The claims of a token by a key that say what they have to; `nil` of any other.
  func claims(by key: JSON?, challenge: String, isIssuer: (String) -> Bool, at now: Timestamp) -> JSONObject?
  {
    guard let key = key.flatMap({ try? JWK($0) }),
      let claims = try? token.verified(with: key, allowing: Self.algorithms).claims(),
      let issuer = claims["iss"]?.string, isIssuer(issuer), claims["sub"]?.string?.isEmpty == false,
      claims["challenge"]?.string == challenge, let end = claims["exp"]?.int, end > now.seconds - Self.skew
    else { return nil }
    // What says when it begins must not begin later.
    for name in ["iat", "nbf"] {
      if let claim = claims[name] {
        guard let time = claim.int, time <= now.seconds + Self.skew else { return nil }
      }
    }
    return claims
  }
}
