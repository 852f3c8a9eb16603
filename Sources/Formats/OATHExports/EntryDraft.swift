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

  /// Returns the record; throws an error if a member has the wrong type.
  func record() throws -> OATHRecord {
    guard let type = try Self.text(type), let secret = try Self.text(secret) else {
      throw ExportedEntry.Skip.invalid
    }
    guard let kind = OATHRecord.Kind(rawValue: type.lowercased()) else { throw OATHError.unsupportedType }
    return try OATHRecord(
      type: kind,
      secret: secret,
      algorithm: Self.text(algorithm),
      digits: Self.number(digits),
      period: kind == .totp ? Self.number(period) : nil,
      counter: kind == .hotp ? Self.number(counter) : nil,
      issuer: Self.text(issuer),
      label: Self.text(label),
      resource: resource
    )
  }

  /// Returns the text of an optional member; throws an error for another JSON type.
  static func text(_ value: JSON?) throws -> String? {
    guard let value, !value.isNull else { return nil }
    guard let text = value.string else { throw ExportedEntry.Skip.invalid }
    return text
  }

  private static func number(_ value: JSON?) throws -> Int? {
    guard let value, !value.isNull else { return nil }
    guard let number = value.int else { throw ExportedEntry.Skip.invalid }
    return number
  }
}
