internal import JSON

extension ExportDecoder {
  /// Bitwarden's vault in JSON: those of its logins that have passcodes.
  static let bitwarden = ExportDecoder(
    format: .bitwarden,
    recognizes: { data in data.json?["encrypted"]?.bool != nil },
    decode: { data throws(ExportError) in
      guard let vault = data.json else { throw .malformed }
      guard vault["encrypted"]?.bool != true else { throw .unsupportedEncryption }
      guard let items = vault["items"]?.array else { throw .malformed }
      let logins = items.filter { item in item["login"]?["totp"].map { !$0.isNull && $0 != "" } ?? false }
      return try .entries(of: logins) { index, item in entry(index, item) }
    }
  )

  /// A URI, or a bare secret of a passcode of the usual kind; others, like Steam's, are URIs of other schemes.
  private static func entry(_ index: Int, _ item: JSON) -> ExportedEntry {
    let totp = item["login"]?["totp"]
    if let text = totp?.string, text.contains("://") {
      guard !text.lowercased().hasPrefix("otpauth://") else { return ExportedEntry(index, uri: text) }
      return ExportedEntry(index, issuer: item["name"]?.string, label: item["login"]?["username"]?.string) {
        throw ExportedEntry.Skip.unsupported
      }
    }
    let draft = EntryDraft(
      type: "totp",
      secret: totp,
      issuer: item["name"],
      label: item["login"]?["username"]
    )
    return ExportedEntry(index, draft)
  }
}
