internal import ControlAPI
internal import ControlClient
internal import OATHExports
internal import Usage

extension Session {
  /// Sends the entries in parts.
  ///
  /// The daemon imports each part completely or not at all.
  func importPlain(_ entries: [ExportedEntry]) throws(Failure) -> Reply<AccountImport.Result> {
    let addresses = AddressParts(entries)
    var (accounts, skipped): ([Account], [AccountImport.Skipped]) = ([], addresses.skipped)
    for part in addresses.parts {
      let request = AccountImport(data: part.data, format: .uris, isDryRun: arguments.has("--dry-run"))
      do throws(Failure) {
        let answer = try call(request)
        accounts += answer.accounts
        for entry in answer.skipped { skipped.append(try entry.placed(by: part.places)) }
      } catch {
        if !accounts.isEmpty, !request.isDryRun {
          output.note("imported \(accounts.count) accounts; repeat the same import for the rest")
        }
        throw error
      }
    }
    skipped.sort { $0.index < $1.index }
    return Reply(AccountImport.Result(accounts: accounts, skipped: skipped))
  }

  /// Sends an encrypted export unchanged; the daemon decrypts it.
  func importEncrypted(
    _ bytes: [UInt8],
    _ path: String,
    _ format: ExportFormat
  ) throws(Failure) -> Reply<AccountImport.Result> {
    guard bytes.count <= Export.maximumBytes else {
      throw tooLarge(
        "\(path) is encrypted and larger",
        hint: "export it without a password, or without icons"
      )
    }
    return try handOver(bytes, format, password: exportPassword(path))
  }

  /// Sends records unchanged, because an address cannot contain the data for pushes.
  func importRecords(_ bytes: [UInt8], _ path: String, _ format: ExportFormat) throws(Failure)
    -> Reply<AccountImport.Result>
  {
    guard bytes.count <= Export.maximumBytes else {
      throw tooLarge("\(path) is larger", hint: "remove the stored pushes from the file")
    }
    return try handOver(bytes, format, password: nil)
  }

  private func tooLarge(_ problem: String, hint: SafeText) -> Failure {
    .local(.usage, "\(problem) than \(Export.maximumBytes / 1024) KiB", hint: hint)
  }

  private func handOver(_ bytes: [UInt8], _ format: ExportFormat, password: String?) throws(Failure)
    -> Reply<AccountImport.Result>
  {
    try reply(
      to: AccountImport(
        data: Base64.encode(bytes),
        encoding: .base64,
        format: AccountImport.Format(rawValue: format.rawValue) ?? .auto,
        password: password,
        isDryRun: arguments.has("--dry-run")
      )
    )
  }

  private func exportPassword(_ path: String) throws(Failure) -> String {
    if let file = arguments["--password-file"] { return try InputFile(file, isPrivate: true).firstLine() }
    guard path != "-" || terminal != nil else {
      throw .local(
        .usage,
        "the export on standard input is encrypted",
        hint: "give its password with --password-file FILE"
      )
    }
    return try answer(to: "password of the export", hidden: true)
  }
}
