internal import ControlClient
internal import OATHExports
internal import Usage

extension Session {
  /// The address of the enrolment that is meant: in a picture, on the command line, or asked for.
  func enrolmentAddress() throws(Failure) -> String {
    guard let path = arguments["--image"] else {
      return try word(orAnswerTo: "address in the QR code", hidden: true)
    }
    guard arguments.words.isEmpty else { throw misused("URI and --image exclude each other") }
    _ = try daemon()
    let codes = try CodeReader.codes(in: Picture(path), waiter)
    guard let code = codes.first else {
      throw .local(.notFound, "no QR code is found in \(path)", hint: "it has to be whole, large and sharp")
    }
    guard codes.count == 1 else {
      throw .local(.usage, "\(path) has several QR codes", hint: "cut the picture so that one is left")
    }
    try Self.checkScheme(of: code, path)
    return code
  }

  /// Refuses what enrols nothing; it may be a secret of another kind, so that nothing of it is shown.
  private static func checkScheme(of code: String, _ path: String) throws(Failure) {
    let scheme = code.prefix { $0 != ":" }.lowercased()
    guard KeyURI.Scheme(rawValue: scheme) == nil else { return }
    throw .local(
      .usage,
      "the QR code in \(path) holds no otpauth address",
      hint: scheme == "otpauth-migration"
        ? "it hands accounts over: \"authctl import\" takes a file with the addresses of all such codes" : nil
    )
  }
}
