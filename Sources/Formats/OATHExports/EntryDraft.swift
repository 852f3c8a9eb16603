internal import JSON

/// The parameters of a JSON entry; each format has them in other members, and `null` means absent.
struct EntryDraft {
  var type: JSON?
  var secret: JSON?
  var algorithm: JSON?
  var digits: JSON?
  var period: JSON?
  var counter: JSON?
  var issuer: JSON?
  var label: JSON?
  /// The server's id of the device.
  var resource: String?
  var policies: JSON?

  /// Returns the record; throws an error if a member has the wrong type.
  func record() throws(OATHError) -> OATHRecord {
    guard let type = try Self.text(type, "type") else { throw .missing("type") }
    guard let secret = try Self.text(secret, "secret") else { throw .missing("secret") }
    guard let kind = OATHRecord.Kind(rawValue: type.lowercased()) else { throw .unsupportedType }
    return OATHRecord(
      type: kind,
      secret: secret,
      algorithm: try Self.text(algorithm, "algorithm"),
      digits: try Self.number(digits, "digits"),
      period: kind == .totp ? try Self.number(period, "period") : nil,
      counter: kind == .hotp ? try Self.number(counter, "counter") : nil,
      issuer: try Self.text(issuer, "issuer"),
      label: try Self.text(label, "label"),
      resource: resource,
      policies: try Self.text(policies, "policies")
    )
  }

  /// Returns the text of an optional member; throws an error for another JSON type.
  static func text(_ value: JSON?, _ name: String) throws(OATHError) -> String? {
    guard let value, !value.isNull else { return nil }
    guard let text = value.string else { throw .invalid(name) }
    return text
  }

  private static func number(_ value: JSON?, _ name: String) throws(OATHError) -> Int? {
    guard let value, !value.isNull else { return nil }
    guard let number = value.int else { throw .invalid(name) }
    return number
  }
}
