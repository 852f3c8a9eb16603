/// Why a sign-on cannot go on.
struct SignOnFailure: Error, Sendable, Equatable {
  let cause: String
  /// What to tell a person.
  let message: String

  init(_ cause: String, _ message: String) { (self.cause, self.message) = (cause, message) }
}

extension SignOnFailure {
  static let notJSON = SignOnFailure("NOT_JSON", "the server did not answer in JSON")
  static let malformed = SignOnFailure("MALFORMED", "the server's response is no step of a sign-on")
  static let tooLarge = SignOnFailure("TOO_LARGE", "the server's response is too large")
  static let serverError = SignOnFailure("SERVER_ERROR", "the server failed")
  static let redirected = SignOnFailure("REDIRECTED", "the server sends the sign-on elsewhere")
  static let foreignLink = SignOnFailure("FOREIGN_LINK", "the server's response leads to another server")
  static let sessionExpired = SignOnFailure("SESSION_EXPIRED", "the sign-on took too long")
  static let tooManySteps = SignOnFailure("TOO_MANY_STEPS", "the sign-on does not come to an end")
  static let stateMismatch = SignOnFailure("STATE_MISMATCH", "the response belongs to another sign-on")
  static let noCode = SignOnFailure("NO_CODE", "the server gave no authorization code")

  /// What the server refuses, in its own words made fit to be shown; its code may say that somebody decided so.
  static func refused(_ message: String?, code: String? = nil) -> SignOnFailure {
    if let code, isDenial(code) { return SignOnFailure("DENIED", message ?? "the sign-on was denied") }
    return SignOnFailure("REFUSED", message ?? "the server refuses the sign-on")
  }

  /// Whether a code says that the user or the server does not want the sign-on, and not that something is wrong with it.
  ///
  /// OAuth spells it `access_denied`; sign-on policies and DaVinci flows also in upper case, or as one word.
  private static func isDenial(_ code: String) -> Bool {
    denials.contains(code.lowercased().filter { $0 != "_" })
  }

  private static let denials: Set<String> = ["accessdenied", "consentrefused", "pushdenied"]

  /// What cannot be done without a browser, a screen or other things that are not here.
  static func unsupported(_ message: String) -> SignOnFailure { SignOnFailure("UNSUPPORTED", message) }
}
