import EventLoop
import JOSE
import JSON
import OpenSSL
import Time

/// A second factor of a user at AM, which AM calls a device.
struct AMFactor: Stored, Codable {
  enum Kind: String, CaseIterable {
    case push, oath, binding
  }

  /// Properties of a device that receives pushes.
  struct Push: Codable {
    let secret: [UInt8]
    /// The identifier that the device uses in messages.
    let mechanism: String
    /// Destination of pushes: a token or a URL.
    var deviceID: String
    var deviceType: String?
    var communicationType: String?
  }

  let id: ID<AMFactor>
  let user: ID<PlatformUser>
  let realm: String
  let createdAt: Timestamp
  var usedAt: Timestamp
  var name: String { didSet { changes += 1 } }
  private var changes = 0
  var push: Push?
  var oath: OATHFactor?
  var key: DeviceKey?

  init(_ id: ID<AMFactor>, of user: ID<PlatformUser>, in realm: String, named name: String, at now: Timestamp)
  {
    self.id = id
    self.user = user
    self.realm = realm
    self.name = name
    (createdAt, usedAt) = (now, now)
  }

  var kind: Kind { push != nil ? .push : key != nil ? .binding : .oath }

  var handles: [String] { [user.text] }

  /// Version of the factor; a client sends it with a change of the factor.
  var revision: String { String(changes) }

  var json: JSON {
    .of([
      "_id": id, "_rev": revision, "uuid": id, "deviceName": name,
      "createdDate": Int(createdAt.milliseconds), "lastAccessDate": Int(usedAt.milliseconds),
      "deviceId": key?.deviceID, "key": key?.json,
    ])
  }
}

extension Tenant {
  /// Returns a user's factors of one kind in a realm; AM uses the first factor if there are several.
  func factors(of user: ID<PlatformUser>, _ kind: AMFactor.Kind, in realm: String) -> [AMFactor] {
    factors.all(by: user.text).filter { $0.kind == kind && $0.realm == realm }
  }
}

/// A device that generates passcodes, with the state that AM needs to check the next passcode.
struct OATHFactor: Codable, Sendable {
  enum Kind: String, CaseIterable, Codable {
    case totp = "TOTP"
    case hotp = "HOTP"
  }

  enum Algorithm: String, CaseIterable, Codable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    fileprivate var hash: HashAlgorithm {
      switch self {
      case .sha1: .sha1
      case .sha256: .sha256
      case .sha512: .sha512
      }
    }
  }

  var kind = Kind.totp
  let secret: [UInt8]
  var algorithm = Algorithm.sha1
  var digits = 6
  private(set) var counter = 0
  /// Time step of the last accepted passcode, and the drift of the device's clock at that time in seconds.
  private(set) var lastStep: Int?
  private(set) var drift = 0

  static let period = 30
  static let byteCount = 16
  private static let counterWindow = 100
  private static let stepWindow = 2
  private static let maximumDrift = 5 * period

  /// Returns true if a passcode is valid now; no passcode is accepted twice.
  mutating func accept(_ passcode: String, at now: Timestamp) throws(OpenSSLError) -> Bool {
    let context = HMACContext(algorithm.hash, key: Secret(copying: secret))
    func fits(_ number: Int) throws(OpenSSLError) -> Bool {
      isSameSecret(try context.passcode(number, digits: digits), passcode)
    }
    guard kind == .totp else {
      for next in counter...(counter + Self.counterWindow) where try fits(next) {
        counter = next + 1
        return true
      }
      return false
    }
    let step = (now.seconds + drift) / Self.period
    guard step != lastStep else { return false }
    for offset in [0] + (1...Self.stepWindow).flatMap({ [$0, -$0] }) where try fits(step + offset) {
      let newDrift = drift + offset * Self.period
      guard step + offset > lastStep ?? 0, abs(newDrift) <= Self.maximumDrift else { return false }
      (lastStep, drift) = (step + offset, newDrift)
      return true
    }
    return false
  }
}

/// The public key of a bound device, as AM stores it.
struct DeviceKey: Codable, Sendable {
  /// Identifier that the device chose.
  let deviceID: String
  /// Public key, as the device sent it.
  let jwk: String

  /// Key ID in the JWK; the header of a signature names the key by it.
  var id: String? { json?["kid"]?.string }

  var json: JSON? { try? JSON(parsing: jwk) }
}

/// A token that proves possession of a device key, with the checks of AM's nodes for device binding.
struct KeyProof {
  let header: JOSEHeader
  private let token: CompactJWS

  /// Maximum clock difference between device and sandbox, in seconds.
  private static let skew = 30
  private static let algorithms: Set<SignatureAlgorithm> = [
    .rs256, .rs384, .rs512, .es256, .es384, .es512,
  ]

  init?(_ text: String) {
    guard let token = try? CompactJWS(parsing: text) else { return nil }
    (self.token, header) = (token, token.header)
  }

  /// Returns the claims if `key` signed the token and the required claims are valid, otherwise `nil`.
  func claims(by key: JSON?, challenge: String, isIssuer: (String) -> Bool, at now: Timestamp) -> JSONObject?
  {
    guard let key = key.flatMap({ try? JWK($0) }),
      let claims = try? token.verified(with: key, allowing: Self.algorithms).claims(),
      let issuer = claims["iss"]?.string, isIssuer(issuer), claims["sub"]?.string?.isEmpty == false,
      claims["challenge"]?.string == challenge, let end = claims["exp"]?.int, end > now.seconds - Self.skew
    else { return nil }
    // The token must not begin in the future, except for the clock difference.
    for name in ["iat", "nbf"] {
      if let claim = claims[name] {
        guard let time = claim.int, time <= now.seconds + Self.skew else { return nil }
      }
    }
    return claims
  }
}
