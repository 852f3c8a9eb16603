/// What the details of an error may tell; each error tells some of it.
package struct ErrorDetails: ControlObject {
  /// The ids of the accounts that fit.
  package let accounts: [String]
  package let lock: AccountLock?
  /// The parameter that is not as it has to be.
  package let parameter: String?
  package let retryAfter: Int?
  package let triesLeft: Int?

  package static let shape = Shape(
    ErrorDetails.init(accounts:lock:parameter:retryAfter:triesLeft:),
    .optional("accounts", \.accounts, default: [], "the accounts that fit, where one has to be named"),
    .optional("lock", \.lock, "what locked the account with this very decision"),
    .optional("parameter", \.parameter, "the parameter that is not as it has to be"),
    .optional("retryAfter", \.retryAfter, "in how many seconds the call may work"),
    .optional("triesLeft", \.triesLeft, "how many more wrong numbers are allowed")
  )
}
