internal import Text
internal import WebAddress

/// An enrolment URI for authenticators: `otpauth:`, and PingAM's `pushauth:` and `mfauth:`.
///
/// The parser reads Google's Key URI Format as QR codes and exports contain it: with unescaped spaces and
/// UTF-8, and with ampersands that a web page has escaped (`&amp;`). It refuses duplicate parameters. A plus
/// sign is literal, because older servers do not escape Base64. A parameter is split at its first equals sign.
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
  /// The parameters of passcodes; their names are read regardless of case, because a missing one would change
  /// the passcodes.
  private static let passcodeNames: Set = [
    "algorithm", "counter", "digits", "encoder", "issuer", "period", "secret",
  ]
  /// The parameter names that errors may contain; any other name could be a misplaced secret.
  private static let names: Set = [
    "a", "algorithm", "b", "c", "counter", "d", "digits", "encoder", "image", "issuer", "l", "m", "oid",
    "period", "pid",
    "policies", "r", "s", "secret", "uid", "version",
  ]

  public init(_ text: some StringProtocol) throws(OATHError) {
    guard text.utf8.count <= Self.longest else { throw .tooLong(maximum: Self.longest) }
    let text = Substring(text).bare
    guard text.unicodeScalars.allSatisfy(Self.isAllowed) else {
      throw .invalid("an unescaped <, > or control")
    }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let place = halves[0].split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard place.count >= 3, place[0].hasSuffix(":"), place[1].isEmpty,
      let scheme = Scheme(rawValue: place[0].dropLast().lowercased())
    else { throw .notAKeyURI }
    guard let label = FormEncoding.decodePercent(place.count > 3 ? place[3] : "") else {
      throw .invalid("label")
    }
    (self.scheme, type, self.label) = (scheme, place[2].lowercased(), label)
    parameters = try Self.parameters(of: halves.count > 1 ? halves[1] : "")
  }

  /// Returns a parameter, percent-decoded; `nil` if it is absent, empty or blank.
  public subscript(_ name: String) -> String? {
    parameters[name].flatMap { value in value.contains { !$0.isWhitespace } ? value : nil }
  }

  /// True for text; false for markup, controls and bidirectional overrides, which no QR code needs.
  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return scalar != "<" && scalar != ">" && !properties.isBidiControl
      && (properties.generalCategory != .control || properties.isWhitespace)
  }

  private static func parameters(of query: some StringProtocol) throws(OATHError) -> [String: String] {
    guard !query.contains("#") else { throw .invalid("the fragment after #") }
    var parameters: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = name(halves[0])
      let shown = names.contains(name) ? name : "a parameter"
      guard let value = FormEncoding.decodePercent(halves.count > 1 ? halves[1] : "") else {
        throw .invalid(shown)
      }
      guard parameters.updateValue(value, forKey: name) == nil else { throw .repeated(shown) }
    }
    return parameters
  }

  /// Returns the name of a parameter, without the rest of an escaped ampersand.
  private static func name(_ text: some StringProtocol) -> String {
    var name = (FormEncoding.decodePercent(text) ?? String(text)).trimmed
    while name.prefix(4).lowercased() == "amp;" { name = name.dropFirst(4) }
    let small = name.lowercased()
    return passcodeNames.contains(small) ? small : String(name)
  }
}

extension KeyURI {
  /// Returns the OATH record of the URI; `names` replaces its names.
  public func record(named names: AccountNames? = nil) throws(OATHError) -> OATHRecord {
    guard let kind = OATHRecord.Kind(rawValue: type), scheme != .pushauth else { throw .unsupportedType }
    guard let secret = self["secret"] else { throw .missing("secret") }
    guard self["encoder"] == nil else {
      throw .unsupported("encoder", allowed: "absent, because passcodes consist of digits")
    }
    let (issuer, account) = (names ?? self.names()).complete
    return OATHRecord(
      type: kind,
      secret: secret,
      algorithm: self["algorithm"],
      digits: try number("digits"),
      period: kind == .totp ? try number("period") : nil,
      counter: kind == .hotp ? try number("counter") : nil,
      issuer: issuer,
      label: account,
      resource: resource("oid"),
      // PingAM encodes policies in Base64.
      policies: self["policies"].map { text in
        Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) } ?? text
      }
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

  /// Returns the names from the label and the issuer parameter.
  public func names() -> AccountNames { names(issuer: self["issuer"]) }

  /// Returns the names from the label and the decoded issuer, for schemes that encode the issuer.
  public func names(issuer parameter: String?) -> AccountNames {
    let (issuer, label) = parted(parameter)
    return AccountNames(issuer: issuer, label: label)
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

  /// Reads a parsed `otpauth:` URI; `others` replaces missing names.
  public init(uri: KeyURI, orNamed others: AccountNames? = nil) throws(OATHError) {
    guard uri.scheme == .otpauth else { throw .notAKeyURI }
    self = try uri.record(named: others.map { uri.names().filled(from: $0) })
  }
}

extension OATHRecord {
  /// The record as an `otpauth:` URI, without the device id and without separators in the secret.
  public var uri: String {
    var parameters = [("secret", Base32.withoutSeparators(secret).filter { $0 != "=" }), ("issuer", issuer)]
    if let algorithm { parameters.append(("algorithm", algorithm)) }
    if let digits { parameters.append(("digits", String(digits))) }
    if let period { parameters.append(("period", String(period))) }
    if let counter { parameters.append(("counter", String(counter))) }
    if let policies { parameters.append(("policies", Base64.encode(policies.utf8))) }
    let name = FormEncoding.encode(issuer) + ":" + FormEncoding.encode(label)
    return "otpauth://\(type.rawValue)/\(name)?\(FormEncoding.encode(parameters))"
  }
}
