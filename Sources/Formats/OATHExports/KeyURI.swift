internal import Text
internal import WebAddress

/// An enrolment URI for authenticators: `otpauth:`, and PingAM's `pushauth:` and `mfauth:`.
///
/// The parser reads Google's Key URI Format strictly: ASCII only, no duplicate parameters. A plus sign is
/// literal, because older servers do not escape Base64. A parameter is split at its first equals sign.
public struct KeyURI: Sendable {
  public enum Scheme: String, Sendable {
    case otpauth, pushauth, mfauth
  }

  public let scheme: Scheme
  /// The type after the slashes, in lower case: `totp`, `hotp`, `push`.
  public let type: String
  /// The label, percent-decoded, usually `issuer:account`.
  public let label: String
  private let parameters: [String: String]

  /// Maximum length in bytes, enough for a combined enrolment with a policy and two image URLs.
  private static let longest = 8192
  /// The characters that RFC 3986 allows in a URI, except the number sign.
  private static let allowed = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?[]@!$&'()*+,;=%".utf8
  )
  /// The parameter names that errors may contain; any other name could be a misplaced secret.
  private static let names: Set = [
    "a", "algorithm", "b", "c", "counter", "d", "digits", "image", "issuer", "l", "m", "oid", "period", "pid",
    "policies", "r", "s", "secret", "uid", "version",
  ]

  public init(_ text: some StringProtocol) throws(OATHError) {
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

  /// Returns a parameter, percent-decoded; `nil` if it is absent, empty or blank.
  public subscript(_ name: String) -> String? {
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

extension KeyURI {
  /// Returns the OATH record of the URI; `decoded` is the decoded issuer, for schemes that encode the issuer.
  public func record(issuer decoded: String? = nil) throws(OATHError) -> OATHRecord {
    guard let kind = OATHRecord.Kind(rawValue: type), scheme != .pushauth else { throw .unsupportedType }
    guard let secret = self["secret"] else { throw .missing("secret") }
    let (issuer, account) = try names(issuer: decoded ?? self["issuer"])
    return try OATHRecord(
      type: kind,
      secret: secret,
      algorithm: self["algorithm"],
      digits: try number("digits"),
      period: kind == .totp ? try number("period") : nil,
      counter: kind == .hotp ? try number("counter") : nil,
      issuer: issuer,
      label: account,
      resource: resource("oid")
    )
  }

  /// Returns PingAM's device id, decoded from Base64; `nil` for other values, because other servers may use
  /// the parameter for another purpose.
  public func resource(_ name: String) -> String? {
    guard let bytes = self[name].flatMap({ Base64.decode($0) }),
      let text = String(validating: bytes, as: UTF8.self), text.isIdentifier
    else { return nil }
    return text
  }

  /// Returns the issuer and the account name from the label and the issuer parameter.
  public func names(issuer parameter: String?) throws(OATHError) -> (issuer: String, account: String) {
    let (issuer, label) = parted(parameter)
    return try OATHRecord.names(issuer: issuer, label: label)
  }

  /// Splits the label.
  ///
  /// If the issuer parameter exists, it takes precedence, and the label's issuer prefix is removed.
  private func parted(_ parameter: String?) -> (issuer: String?, account: String) {
    if let parameter, label.hasPrefix(parameter + ":") {
      return (parameter, String(label.dropFirst(parameter.count + 1)))
    }
    let parts = label.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let parameter, parts.count > 1 else { return (parameter, label) }
    // Some servers write a space in the issuer parameter as a plus sign. The label has the space.
    let isSpaced = String(parameter.map { $0 == "+" ? " " : $0 }) == parts[0]
    return (isSpaced ? parts[0] : parameter, parts[1])
  }

  private func number(_ name: String) throws(OATHError) -> Int? {
    guard let text = self[name] else { return nil }
    guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Int(text) else {
      throw .invalid(name)
    }
    return number
  }
}

extension OATHRecord {
  /// Reads an `otpauth:` URI.
  public init(uri: some StringProtocol) throws(OATHError) { try self.init(uri: KeyURI(uri)) }

  public init(uri: KeyURI) throws(OATHError) {
    guard uri.scheme == .otpauth else { throw .notAKeyURI }
    self = try uri.record()
  }
}

extension OATHRecord {
  /// The record as an `otpauth:` URI, without the device id and without separators in the secret.
  public var uri: String {
    var parameters = [("secret", secret.filter { $0 != " " && $0 != "-" && $0 != "=" }), ("issuer", issuer)]
    if let algorithm { parameters.append(("algorithm", algorithm)) }
    if let digits { parameters.append(("digits", String(digits))) }
    if let period { parameters.append(("period", String(period))) }
    if let counter { parameters.append(("counter", String(counter))) }
    let name = FormEncoding.encode(issuer) + ":" + FormEncoding.encode(label)
    return "otpauth://\(type.rawValue)/\(name)?\(FormEncoding.encode(parameters))"
  }
}

extension ExportDecoder {
  static let uris = ExportDecoder(
    format: .uris,
    recognizes: { $0.begins(withScheme: "otpauth") },
    decode: { data throws(ExportError) in
      guard let lines = data.lines else { throw .malformed }
      return try .entries(of: lines) { ExportedEntry($0, uri: $1) }
    }
  )
}
