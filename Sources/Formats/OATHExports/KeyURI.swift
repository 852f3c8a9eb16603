internal import Text
internal import WebAddress

/// A URI that enrols an authenticator: `otpauth:`, and PingAM's `pushauth:` and `mfauth:`.
///
/// Google's Key URI Format, read strictly: ASCII only, each parameter once, a plus sign is a plus sign (older servers
/// write Base64 unescaped), a pair is split at its first equals sign.
public struct KeyURI: Sendable {
  public enum Scheme: String, Sendable {
    case otpauth, pushauth, mfauth
  }

  public let scheme: Scheme
  /// What follows the slashes, in lower case: `totp`, `hotp`, `push`.
  public let type: String
  /// Mostly `issuer:account`, percent-decoded.
  public let label: String
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

  /// A parameter, percent-decoded; an empty or blank one is none.
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
  /// The OATH half of what is enrolled; an issuer that is not written plain is handed in decoded.
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

  /// The id by which PingAM knows a device, in Base64; `nil` for what is none, since others may mean something else.
  public func resource(_ name: String) -> String? {
    guard let bytes = self[name].flatMap({ Base64.decode($0) }),
      let text = String(validating: bytes, as: UTF8.self), text.isIdentifier
    else { return nil }
    return text
  }

  /// Who issued it and what it is called there, which label and parameter say together.
  public func names(issuer parameter: String?) throws(OATHError) -> (issuer: String, account: String) {
    let (issuer, label) = parted(parameter)
    return try OATHRecord.names(issuer: issuer, label: label)
  }

  /// What the label has of an issuer is taken off it where the parameter has one, which counts more.
  private func parted(_ parameter: String?) -> (issuer: String?, account: String) {
    if let parameter, label.hasPrefix(parameter + ":") {
      return (parameter, String(label.dropFirst(parameter.count + 1)))
    }
    let parts = label.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let parameter, parts.count > 1 else { return (parameter, label) }
    // Some write a space as a plus sign; that it is one, the label tells.
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
  /// What an `otpauth:` URI says.
  public init(uri: some StringProtocol) throws(OATHError) { try self.init(uri: KeyURI(uri)) }

  public init(uri: KeyURI) throws(OATHError) {
    guard uri.scheme == .otpauth else { throw .notAKeyURI }
    self = try uri.record()
  }
}

extension OATHRecord {
  /// The record as an `otpauth:` URI, from which the same record is read.
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
