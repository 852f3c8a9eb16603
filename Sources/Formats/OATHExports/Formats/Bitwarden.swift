internal import JSON

extension ExportDecoder {
  /// Bitwarden's vault in JSON or CSV; only logins with passcodes are read.
  static let bitwarden = ExportDecoder(
    format: .bitwarden,
    recognizes: { data in
      switch data {
      case .json(let vault): vault["encrypted"]?.bool != nil
      case .text(let text):
        (try? CommaSeparatedValues.rows(of: String(text.prefix { !$0.isNewline })))?.first?.contains(
          "login_totp"
        )
          ?? false
      case .binary: false
      }
    },
    decode: { data throws(ExportError) in
      let logins =
        switch data {
        case .json(let vault): try logins(of: vault)
        case .text(let text): try logins(ofCSV: text)
        case .binary: throw .malformed
        }
      let held = logins.filter { login in login.totp.map { !$0.isNull && $0 != "" } ?? false }
      return try .entries(of: held) { index, login in login.entry(index) }
    }
  )

  private static func logins(of vault: JSON) throws(ExportError) -> [BitwardenLogin] {
    guard vault["encrypted"]?.bool != true else { throw .unsupportedEncryption }
    guard let items = vault["items"]?.array else { throw .malformed }
    return items.map { item in
      BitwardenLogin(name: item["name"], user: item["login"]?["username"], totp: item["login"]?["totp"])
    }
  }

  private static func logins(ofCSV text: String) throws(ExportError) -> [BitwardenLogin] {
    var rows = try CommaSeparatedValues.rows(of: text)
    guard let titles = rows.first, let totp = titles.firstIndex(of: "login_totp") else { throw .malformed }
    rows.removeFirst()
    let (name, user) = (titles.firstIndex(of: "name"), titles.firstIndex(of: "login_username"))
    return rows.map { row in
      // A row may have fewer columns than the title row.
      func value(_ column: Int?) -> JSON? {
        column.flatMap { row.indices.contains($0) ? .string(row[$0]) : nil }
      }
      return BitwardenLogin(name: value(name), user: value(user), totp: value(totp))
    }
  }
}

/// The relevant members of a login.
private struct BitwardenLogin {
  let name: JSON?
  let user: JSON?
  /// A URI, or the secret of a standard TOTP; other kinds, such as Steam's, are URIs of other schemes.
  let totp: JSON?

  func entry(_ index: Int) -> ExportedEntry {
    guard let text = totp?.string, text.utf8.contains(UInt8(ascii: ":")) else {
      return ExportedEntry(index, EntryDraft(type: "totp", secret: totp, issuer: name, label: user))
    }
    let names = AccountNames(issuer: name?.string, label: user?.string)
    guard !Substring(text).bare.isURI(of: "otpauth") else {
      return ExportedEntry(index, uri: text, orNamed: names)
    }
    return ExportedEntry(index, names) { () throws(OATHError) in throw .unsupportedType }
  }
}
