internal import ControlAPI
internal import ControlClient
internal import JSONRPC
internal import OATHExports
internal import Usage

extension Command {
  static let importExport = Command(
    "import",
    "FILE [--format FORMAT] [--password-file FILE] [--dry-run]",
    words: 1...1,
    options: [
      Option(
        "--format",
        takes: "FORMAT",
        choices: ExportFormat.allCases.map(\.rawValue),
        "read FILE as FORMAT (default: detect the format)"
      ),
      Option(
        "--password-file",
        takes: "FILE",
        "read the export's password from FILE, which only you may access"
      ),
      Option("--dry-run", "show the result without adding accounts"),
    ],
    summary: "add accounts from the export of another authenticator",
    details: """
      FORMAT is one of uris, migration, aegis, andotp, bitwarden, freeotp, 2fas, am. FILE, or - for standard
      input, has at most 1000 entries and 4 MiB (180 KiB if it is encrypted or am). authctl lists each entry
      that it does not import, with the reason. The exit code is then 21, or 5 if it imported none.

      A file of addresses may mix those of several QR codes and of several transfers. Encrypted backups of
      old versions of andOTP are only recognized with --format andotp.

      am is the JSON of the records that the authenticator libraries of ForgeRock and Ping keep for PingAM.
      These libraries have no export: such a file comes from your own app or from its migration to the newer
      libraries. Push accounts move too, if am_origin in the configuration names their server; from then on
      their pushes come to this machine and no longer to the other authenticator.

      The password of an encrypted export is the first line of --password-file (- is standard input), is asked
      for on the terminal, or is one line of standard input unless the export is read there. authctl does not
      take it from the command line, where other users could see it.
      """,
    examples: [
      "authctl import aegis.json --dry-run",
      "authctl import transfer.txt --format migration",
    ]
  ) { (session) throws(Failure) in
    let path = session.arguments.words[0]
    let format = try session.option("--format", "one of the names in \"authctl help import\"") {
      ExportFormat(rawValue: $0)
    }
    let bytes = try InputFile(path, atMost: 4).bytes
    let export = try Export(bytes, as: format, of: path)
    let reply =
      switch export.contents {
      case .plain(let entries) where export.format == .am && !entries.isEmpty:
        try session.importRecords(bytes, path, export.format)
      case .plain(let entries): try session.importPlain(entries)
      case .encrypted: try session.importEncrypted(bytes, path, export.format)
      }
    try session.output.result(reply, none: "there is nothing to import", lines)
    let result = try reply.value
    if !session.output.asJSON {
      let reasons = Set(result.skipped.compactMap(\.reason.choice))
      for reason in AccountImport.Skipped.Reason.allCases where reasons.contains(reason) {
        reason.remedy.map { session.output.hint($0) }
      }
      let isWhole = result.skipped.allSatisfy { $0.reason == .known(.exists) }
      if isWhole, !result.accounts.isEmpty, !session.arguments.has("--dry-run") {
        session.output.hint("erase the export: it contains the secrets of the accounts")
      }
    }
    if !result.skipped.isEmpty { throw .told(result.accounts.isEmpty ? .notFound : .entriesLeftOut) }
  }
}

extension AccountImport.Skipped.Reason {
  /// The user's remedy for entries that are skipped for this reason.
  fileprivate var remedy: SafeText? {
    switch self {
    case .exists: nil
    case .unsupported: "keep an unsupported account in the other authenticator"
    case .invalid: "ask the site of an unreadable entry for a new QR code; \"authctl enrol\" adds it"
    case .quota: "\"authctl accounts remove ACCOUNT\" makes space; then import the file again"
    case .originRefused: "to import an account, add its server to am_origin in the configuration"
    }
  }
}

private func lines(_ result: AccountImport.Result) -> [SafeText] {
  AccountText.lines(result.accounts)
    + result.skipped.map { entry in
      let names = [entry.issuer, entry.label].compactMap(\.self).joined(separator: ", ")
      return "skipped entry \(entry.index + 1): \(names.isEmpty ? "-" : names): \(entry.message)"
    }
}

extension Export {
  /// Reads the contents of a file.
  fileprivate init(_ bytes: [UInt8], as format: ExportFormat?, of path: String) throws(Failure) {
    do throws(ExportError) { try self.init(bytes, as: format, maximumBytes: .max) } catch {
      let hint: SafeText? =
        switch error {
        case .unknownFormat: "give --format FORMAT; \"authctl help import\" lists the formats"
        case .incomplete:
          "the file must contain the addresses of all codes, one per line: scan the missing code too"
        case .unsupportedEncryption: "export it without a password"
        default: nil
        }
      throw .local(.usage, "\(path): \(error.description)", hint: hint)
    }
  }
}
