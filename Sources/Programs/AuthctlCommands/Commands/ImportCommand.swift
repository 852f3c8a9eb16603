internal import ControlAPI
internal import ControlClient
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
        "whose export it is; without it what the file shows decides"
      ),
      Option("--password-file", takes: "FILE", "a file of yours alone with the password of the export"),
      Option("--dry-run", "only show what would become of it"),
    ],
    summary: "make accounts of what another authenticator exported",
    details: """
      FORMAT is one of uris, migration, aegis, andotp, bitwarden, freeotp, 2fas, am. FILE, or - for standard input,
      has at most 4 MiB, 180 KiB if it is encrypted or am, and 1000 entries. What cannot be taken is told entry by
      entry.

      am are the records that ForgeRock's and Ping's libraries for authenticators keep for PingAM, in JSON. They
      export nothing themselves: such a file is from an app of your own, or from its move to the newer libraries.
      Accounts for pushes move too, if am_origin in the configuration names their server; from then on their pushes
      come here and no longer to the other authenticator.

      The password of an encrypted export is asked for on the terminal, or is one line of standard input unless the
      export comes there, or is the first line of --password-file; - is standard input there too. It is never given
      on the command line, where others could see it.
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
    if !session.arguments.has("--dry-run"), try !reply.value.accounts.isEmpty, !session.output.asJSON {
      session.output.hint("whoever has the export has the accounts: erase it")
    }
    let isRefused = try reply.value.skipped.contains { $0.reason == .known(.originRefused) }
    if isRefused, !session.output.asJSON {
      session.output.hint("am_origin in the configuration names the servers whose accounts are taken")
    }
  }
}

private func lines(_ result: AccountImport.Result) -> [SafeText] {
  AccountText.lines(result.accounts)
    + result.skipped.map { entry in
      let names = [entry.issuer, entry.label].compactMap(\.self).joined(separator: ", ")
      return "skipped entry \(entry.index + 1): \(names.isEmpty ? "-" : names): \(entry.reason.name)"
    }
}

extension Export {
  /// Reads the contents of a file.
  fileprivate init(_ bytes: [UInt8], as format: ExportFormat?, of path: String) throws(Failure) {
    do throws(ExportError) { try self.init(bytes, as: format, maximumBytes: .max) } catch {
      let hint: SafeText? =
        switch error {
        case .unknownFormat: "--format says whose export it is, see \"authctl help import\""
        case .incomplete: "each line of the file has to be the address of one of the codes"
        case .unsupportedEncryption: "export it without a password"
        default: nil
        }
      throw .local(.usage, "\(path): \(error.description)", hint: hint)
    }
  }
}
