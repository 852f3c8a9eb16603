import EventLoop
import FoundationEssentials
import JOSE
import JSON
import WebAddress

func standardBase64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

/// The factors that a journey enrols with an authenticator.
///
/// AM stores the factors when the authenticator has responded.
struct Enrolment: Sendable {
  enum Factors: String, CaseIterable {
    case push, oath, both
  }

  let record: SentMessage?
  let oath: OATHFactor?
  private let pushID = ID<AMFactor>.random()
  private let oathID = ID<AMFactor>.random()

  static let loadBalancerCookie = "amlbcookie=01"
  static let defaultIssuer = "Sandbox"
  private static let color = "032b75"

  init(record: SentMessage?, oath: OATHFactor?) {
    self.record = record
    self.oath = oath
  }

  /// Returns the URI that the authenticator scans; like AM, it does not percent-encode parameter values.
  func address(of user: PlatformUser, issuer: String, image: String, policies: String?, resource: String)
    -> String
  {
    var parameters: [(String, String)] = []
    func put(_ name: String, _ value: String) {
      let place = parameters.firstIndex { $0.0 == name }
      if let place { parameters[place].1 = value } else { parameters.append((name, value)) }
    }
    func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
    if let record {
      put("l", encoded(Self.loadBalancerCookie))
      put("issuer", encoded(issuer))
      put("m", record.id.text)
      put("s", Base64URL.encode(record.secret))
      put("c", Base64URL.encode(record.challenge))
      put("r", encoded("\(resource)?_action=register"))
      put("a", encoded("\(resource)?_action=authenticate"))
      put("uid", encoded(user.username))
      put("pid", encoded(pushID.text))
      put("b", Self.color)
      put("image", encoded(image))
    }
    if let oath {
      let text = base32(oath.secret)
      put("secret", text + String(repeating: "=", count: (8 - text.count % 8) % 8))
      put(oath.kind == .totp ? "period" : "counter", oath.kind == .totp ? "\(OATHFactor.period)" : "0")
      put("digits", "\(oath.digits)")
      put("b", Self.color)
      put("image", image)
      if oath.kind == .totp, oath.algorithm != .sha1 { put("algorithm", oath.algorithm.rawValue) }
      put("uid", encoded(user.username))
      put("oid", encoded(oathID.text))
    }
    if let policies, record != nil, oath != nil { put("policies", encoded(policies)) }
    let scheme = record == nil ? "otpauth" : oath == nil ? "pushauth" : "mfauth"
    let host = oath?.kind.rawValue.lowercased() ?? "push"
    let query = parameters.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    return "\(scheme)://\(host)/\(Self.escaped(issuer)):\(Self.escaped(user.username))?\(query)"
  }

  /// Characters that AM does not encode in a label, besides the unreserved characters of RFC 3986.
  private static let plain = "!$'()*,;&=@:+/?"

  private static func escaped(_ text: String) -> String {
    text.map { plain.contains($0) ? String($0) : FormEncoding.encode(String($0)) }.joined()
  }

  /// Returns the factors that AM stores.
  @EventLoop
  func factors(of user: ID<PlatformUser>, in realm: String, tenant: Tenant) -> [AMFactor] {
    var factors: [AMFactor] = []
    if let record, let claims = tenant.pushRecords[record.id]?.content {
      var factor = AMFactor(pushID, of: user, in: realm, named: "Push Device", at: tenant.clock.now)
      factor.push = AMFactor.Push(
        secret: record.secret,
        mechanism: claims["mechanismUid"]?.string ?? "",
        deviceID: claims["deviceId"]?.string ?? "",
        deviceType: claims["deviceType"]?.string,
        communicationType: claims["communicationType"]?.string
      )
      factors.append(factor)
    }
    if let oath {
      var factor = AMFactor(oathID, of: user, in: realm, named: "OATH Device", at: tenant.clock.now)
      factor.oath = oath
      factors.append(factor)
    }
    return factors
  }
}
