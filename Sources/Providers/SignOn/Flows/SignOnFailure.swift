/// Reason why a sign-on cannot continue.
struct SignOnFailure: Error, Sendable, Equatable {
  let cause: String
  /// Message for the user.
  let message: String

  init(_ cause: String, _ message: String) { (self.cause, self.message) = (cause, message) }
}

extension SignOnFailure {
  static let notJSON = SignOnFailure("NOT_JSON", "the server did not answer in JSON")
  static let malformed = SignOnFailure("MALFORMED", "the server's response is no step of a sign-on")
  static let tooLarge = SignOnFailure("TOO_LARGE", "the server's response is too large")
  static let serverError = SignOnFailure("SERVER_ERROR", "the server failed")
  static let redirected = SignOnFailure("REDIRECTED", "the server redirects the sign-on to another page")
  static let foreignLink = SignOnFailure("FOREIGN_LINK", "the server's response leads to another server")
  static let sessionExpired = SignOnFailure("SESSION_EXPIRED", "the sign-on took too long")
  static let tooManySteps = SignOnFailure("TOO_MANY_STEPS", "the sign-on does not come to an end")
  static let stateMismatch = SignOnFailure("STATE_MISMATCH", "the response belongs to another sign-on")
  /// The issuer does not grant a requested scope; the caller gets `SCOPE_NOT_GRANTED` instead.
  static let scopeRefused = SignOnFailure("SCOPE_NOT_GRANTED", "the server does not grant a requested scope")
  static let noCode = SignOnFailure("NO_CODE", "the server gave no authorization code")

  /// Returns the failure for a server that refuses the sign-on.
  ///
  /// `message` must already be cleaned for display. Some codes mean that the user denied the sign-on.
  static func refused(_ message: String?, code: String? = nil) -> SignOnFailure {
    if code == "invalid_scope" { return scopeRefused }
    if let code, isDenial(code) { return SignOnFailure("DENIED", message ?? "the sign-on was denied") }
    return SignOnFailure("REFUSED", message ?? "the server refuses the sign-on")
  }

  /// True if the code means that the user or the server denied the sign-on, not that the request is faulty.
  ///
  /// OAuth uses `access_denied`; sign-on policies and DaVinci flows also write it in upper case or as one
  /// word.
  static func isDenial(_ code: String) -> Bool {
    denials.contains(code.lowercased().filter { $0 != "_" })
  }

  private static let denials: Set<String> = ["accessdenied", "consentrefused", "pushdenied"]

  /// Returns the failure for a step that requires a browser, a screen or another feature missing here.
  static func unsupported(_ message: String) -> SignOnFailure { SignOnFailure("UNSUPPORTED", message) }
}
