internal import JSON

extension ExportDecoder {
  /// The mechanisms that ForgeRock's and Ping's authenticators keep for PingAM, each with its account.
  static let am = ExportDecoder(
    format: .am,
    recognizes: { data in data.json?["mechanisms"]?.array != nil },
    decode: { data throws(ExportError) in
      guard let mechanisms = data.json?["mechanisms"]?.array else { throw .malformed }
      return try .entries(of: mechanisms) { index, mechanism in
        ExportedEntry(index, issuer: mechanism["issuer"]?.string, label: mechanism["accountName"]?.string) {
          try record(mechanism)
        }
      }
    }
  )

  private static func record(_ mechanism: JSON) throws -> OATHRecord {
    // One without an account was left behind when that was removed.
    guard let account = mechanism["account"]?.object else { throw ExportedEntry.Skip.invalid }
    // A push cannot be registered again with what is kept of it, and a lock is the server's to open.
    guard mechanism["type"]?.string == "otpauth", account["lock"]?.bool != true else {
      throw ExportedEntry.Skip.unsupported
    }
    let draft = EntryDraft(
      type: mechanism["oathType"],
      secret: mechanism["secret"],
      algorithm: mechanism["algorithm"],
      digits: mechanism["digits"],
      period: mechanism["period"],
      counter: mechanism["counter"],
      issuer: mechanism["issuer"],
      label: mechanism["accountName"]
    )
    return try draft.record()
  }
}
