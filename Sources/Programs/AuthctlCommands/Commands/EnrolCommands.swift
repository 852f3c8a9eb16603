internal import ControlAPI

extension Command {
  static let enrol: Command = Command(
    "enrol",
    "[URI|-|--image FILE]",
    words: 0...1,
    options: [Option("--image", value: "FILE", "a picture of the QR code, - for standard input")],
    summary: "make an account of what an enrolment's QR code holds",
    details: """
      URI is an otpauth address. Without it or with - it is asked for on the terminal, or is one line of standard
      input, so that its secret is in no list of processes and no history of a shell.

      The picture is PNG, JPEG, GIF or WebP, at most 16 MiB, with one QR code in it. zbarimg of the package zbar-tools
      reads it. Erase the picture afterwards: whoever has it has the account.
      """
  ) { (session) throws(Failure) in
    let address = try session.enrolmentAddress()
    try session.print(AccountEnrol(uri: address)) { AccountText.lines([$0]) }
  }

  static let importExport: Command = Command(
    "import",
    "FILE [--format FORMAT] [--dry-run]",
    words: 1...1,
    options: [
      Option("--format", value: "FORMAT", "whose export it is; without it what the file shows decides"),
      Option("--dry-run", "only show what would become of it"),
    ],
    summary: "make accounts of what another authenticator exported",
    details: """
      FILE is text, at most 180 KiB; - is standard input. Where it is encrypted, its password is asked for.
      FORMAT is one of uris, migration, aegis, andotp, bitwarden, freeotp, 2fas, am.
      """
  ) { (session) throws(Failure) in
    let path = session.arguments.words[0]
    var format = AccountImport.Format.auto
    if let name = session.arguments["--format"] {
      guard let named = AccountImport.Format(rawValue: name) else {
        throw Command.importExport.misused("\(name) is no format")
      }
      format = named
    }
    guard let text = String(validating: try StandardInput.contents(of: path), as: UTF8.self) else {
      throw .local(.usage, "\(path) is no text")
    }
    var request = AccountImport(data: text, format: format, isDryRun: session.arguments.has("--dry-run"))
    do throws(Failure) { try session.printImport(request) } catch {
      guard case .refused(let refusal) = error, refusal.isAbout(parameter: AccountImport.passwordParameter),
        let password = try session.answer(to: "password of the export", hidden: true) as String?,
        !password.isEmpty
      else { throw error }
      request = AccountImport(
        data: text,
        format: format,
        password: password,
        isDryRun: request.isDryRun
      )
      try session.printImport(request)
    }
  }
}

extension Session {
  fileprivate func printImport(_ request: AccountImport) throws(Failure) {
    try print(request, none: "there is nothing to import") { result in
      AccountText.lines(result.accounts)
        + result.skipped.map { entry in
          let names = [entry.issuer, entry.label].compactMap(\.self).joined(separator: ", ")
          return "skipped entry \(entry.index + 1): \(names.isEmpty ? "-" : names): \(entry.reason.name)"
        }
    }
  }
}
