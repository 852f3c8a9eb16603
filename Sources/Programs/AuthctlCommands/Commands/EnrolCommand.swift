internal import ControlAPI
internal import ControlClient
internal import OATHExports
internal import Text
internal import Usage

extension Command {
  static let enrol = Command(
    "enrol",
    "[URI|-|--image FILE] [--name NAME]",
    words: 0...1,
    options: [
      Option("--image", takes: "FILE", "read the QR code from the picture FILE, - for standard input"),
      Option("--name", takes: "NAME", "name the account of a bare secret: its site, or SITE:USER"),
    ],
    summary: "add an account from an enrolment's QR code",
    details: """
      URI is an otpauth, pushauth or mfauth address. Without URI or with -, authctl asks for it on the
      terminal or reads one line of standard input. This keeps the secret out of process lists and shell
      histories.

      Instead of URI, a bare secret is possible, as sites show it below their QR code: letters and digits
      in groups. It makes passcodes of six digits every 30 seconds, and needs a name.

      The picture is PNG, JPEG, GIF or WebP, at most 16 MiB, with one QR code in it. authctl reads it with
      zbarimg (package zbar-tools). Erase the picture afterwards: it contains the secret of the account.
      """,
    examples: [
      "authctl enrol --image code.png",
      "authctl enrol --name GitHub",
      "authctl enrol - < address.txt",
    ]
  ) { (session) throws(Failure) in
    let address = try session.enrolmentAddress()
    try session.print(AccountEnrol(uri: address)) { AccountText.lines([$0]) }
  }
}

extension Session {
  /// Returns the address of the enrolment from a picture, the command line or a prompt.
  fileprivate func enrolmentAddress() throws(Failure) -> String {
    guard let path = arguments["--image"] else {
      let isNamed = arguments["--name"] != nil
      let text = try word(orAnswerTo: isNamed ? "secret" : "address in the QR code, or secret", hidden: true)
      return try address(of: text)
    }
    guard arguments["--name"] == nil else { throw misused("--name and --image exclude each other") }
    guard arguments.words.isEmpty else { throw misused("URI and --image exclude each other") }
    _ = try daemon()
    let codes = try CodeReader.codes(in: Picture(path), waiter)
    guard let code = codes.first else {
      throw .local(.notFound, "no QR code found in \(path)", hint: "use a complete, large and sharp picture")
    }
    guard codes.count == 1 else {
      throw .local(.usage, "\(path) has several QR codes", hint: "crop the picture to one QR code")
    }
    try Self.checkScheme(of: code, path)
    return code
  }

  /// Returns an address unchanged, and a bare secret with its name as an address.
  private func address(of text: String) throws(Failure) -> String {
    guard !text.contains("://") else {
      guard arguments["--name"] == nil else { throw misused("an address contains its name: omit --name") }
      return text
    }
    guard let secret = Base32.decodeLeniently(text), !secret.isEmpty else {
      // The daemon refuses other text, unless the user calls it a secret.
      guard arguments["--name"] != nil else { return text }
      throw .local(
        .usage,
        "this secret contains other characters than A to Z and 2 to 7",
        hint: "type it as the site shows it"
      )
    }
    if arguments["--name"] == nil, terminal == nil {
      throw .local(.usage, "the secret has no name", hint: "\"authctl enrol --name NAME -\" reads it again")
    }
    var name = arguments["--name"]
    if name == nil { name = try answer(to: "name of the site", hidden: false) }
    return OATHRecord(type: .totp, secret: Base32.encode(secret), issuer: nil, label: name).uri
  }

  /// Throws if the text of the QR code is not an address for an enrolment.
  ///
  /// The text may be another kind of secret, so the error does not quote it.
  private static func checkScheme(of code: String, _ path: String) throws(Failure) {
    let scheme = code.prefix { $0 != ":" }.lowercased()
    guard KeyURI.Scheme(rawValue: scheme) == nil else { return }
    throw .local(
      .usage,
      "the QR code in \(path) contains no otpauth address",
      hint: scheme == "otpauth-migration"
        ? "it transfers accounts: \"authctl import FILE\" reads a file with the addresses of all codes" : nil
    )
  }
}

/// The entries of a plain export as addresses, in parts that fit one request each, and the skipped entries.
struct AddressParts {
  struct Part {
    var data = ""
    /// The index of each address in the export.
    var places: [Int] = []
  }

  private(set) var parts: [Part] = []
  private(set) var skipped: [AccountImport.Skipped] = []

  init(_ entries: [ExportedEntry]) {
    for entry in entries {
      switch entry.record {
      case .success(let record):
        do {
          // The daemon uses the same parser, so it would reject this address too.
          _ = try KeyURI(record.uri)
          add(record.uri, entry.index)
        } catch { skip(entry, error) }
      case .failure(let error): skip(entry, error)
      }
    }
  }

  private mutating func add(_ address: String, _ place: Int) {
    let isFull = parts.last.map { $0.data.utf8.count + address.utf8.count >= Export.maximumBytes } ?? true
    if isFull { parts.append(Part()) }
    parts[parts.count - 1].data += (isFull ? "" : "\n") + address
    parts[parts.count - 1].places.append(place)
  }

  private mutating func skip(_ entry: ExportedEntry, _ error: OATHError) {
    let reason: AccountImport.Skipped.Reason =
      switch ExportedEntry.Skip(error) {
      case .unsupported: .unsupported
      case .invalid: .invalid
      }
    skipped.append(
      AccountImport.Skipped(
        index: entry.index,
        issuer: entry.names.issuer.map { DisplayText.clean($0) },
        label: entry.names.account.map { DisplayText.clean($0) },
        reason: .known(reason),
        message: error.description
      )
    )
  }
}

extension AccountImport.Skipped {
  /// Returns the entry with its index in the whole export.
  func placed(by places: [Int]) throws(Failure) -> Self {
    guard places.indices.contains(index) else { throw .notTheDaemon }
    return Self(index: places[index], issuer: issuer, label: label, reason: reason, message: message)
  }
}
