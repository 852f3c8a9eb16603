internal import Text

extension KeyURI {
  /// The OATH half of what is enrolled; an issuer that is not written plain is handed in decoded.
  package func record(issuer decoded: String? = nil) throws(OATHError) -> OATHRecord {
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
  package func resource(_ name: String) -> String? {
    guard let bytes = self[name].flatMap({ Base64.decode($0) }),
      let text = String(validating: bytes, as: UTF8.self), text.isIdentifier
    else { return nil }
    return text
  }

  /// Who issued it and what it is called there, which label and parameter say together.
  package func names(issuer parameter: String?) throws(OATHError) -> (issuer: String, account: String) {
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
  package init(uri: some StringProtocol) throws(OATHError) { try self.init(uri: KeyURI(uri)) }

  package init(uri: KeyURI) throws(OATHError) {
    guard uri.scheme == .otpauth else { throw .notAKeyURI }
    self = try uri.record()
  }
}
