internal import WebAddress

/// A URI that enrols an authenticator: `otpauth:`, and PingAM's `pushauth:` and `mfauth:`.
///
/// Google's Key URI Format, read strictly: ASCII only, each parameter once, a plus sign is a plus sign (older servers
/// write Base64 unescaped), a pair is split at its first equals sign.
package struct KeyURI: Sendable {
  package enum Scheme: String, Sendable {
    case otpauth, pushauth, mfauth
  }

  package let scheme: Scheme
  /// What follows the slashes, in lower case: `totp`, `hotp`, `push`.
  package let type: String
  /// Mostly `issuer:account`, percent-decoded.
  package let label: String
  private let parameters: [String: String]

  /// Long enough for a combined enrolment with a policy and two pictures.
  private static let longest = 8192
  /// What RFC 3986 lets stand in a URI, without what begins a fragment.
  private static let allowed = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?[]@!$&'()*+,;=%".utf8
  )
  /// What may be named in an error: another name could be a secret in the wrong place.
  private static let names: Set = [
    "a", "algorithm", "b", "c", "counter", "d", "digits", "image", "issuer", "l", "m", "oid", "period", "pid",
    "policies", "r", "s", "secret", "uid", "version",
  ]

  package init(_ text: some StringProtocol) throws(OATHError) {
    guard text.utf8.count <= Self.longest, text.utf8.allSatisfy(Self.allowed.contains) else {
      throw .notAKeyURI
    }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let place = halves[0].split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard place.count >= 3, place[0].hasSuffix(":"), place[1].isEmpty,
      let scheme = Scheme(rawValue: place[0].dropLast().lowercased()),
      let label = FormEncoding.decodePercent(place.count > 3 ? place[3] : "")
    else { throw .notAKeyURI }
    (self.scheme, type, self.label) = (scheme, place[2].lowercased(), label)
    parameters = try Self.parameters(of: halves.count > 1 ? halves[1] : "")
  }

  /// A parameter, percent-decoded; an empty or blank one is none.
  package subscript(_ name: String) -> String? {
    parameters[name].flatMap { value in value.contains { $0 != " " } ? value : nil }
  }

  private static func parameters(of query: some StringProtocol) throws(OATHError) -> [String: String] {
    var parameters: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(halves[0])
      let shown = names.contains(name) ? name : "a parameter"
      guard let value = FormEncoding.decodePercent(halves.count > 1 ? halves[1] : "") else {
        throw .invalid(shown)
      }
      guard parameters.updateValue(value, forKey: name) == nil else { throw .repeated(shown) }
    }
    return parameters
  }
}
