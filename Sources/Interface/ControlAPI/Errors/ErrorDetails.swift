/// What the details of an error may tell; each error tells some of it.
package struct ErrorDetails: ControlObject {
  /// The ids of the accounts that fit.
  package let accounts: [String]
  /// What is wrong with the certificate of the origin.
  package let certificate: CertificateProblem.RawValue?
  package let key: String?
  package let lock: AccountLock?
  package let methods: [String]
  /// The origin that was asked, as `https://mfa.example.com`.
  package let origin: String?
  /// The parameter that is not as it has to be.
  package let parameter: String?
  package let policy: String?
  package let retryAfter: Int?
  package let scopes: [String]
  package let status: Int?
  package let triesLeft: Int?

  package static let shape = Shape(
    ErrorDetails.init(
      accounts:
      certificate:
      key:
      lock:
      methods:
      origin:
      parameter:
      policy:
      retryAfter:
      scopes:
      status:
      triesLeft:
    ),
    .optional("accounts", \.accounts, default: [], "the accounts that fit, where one has to be named"),
    .optional("certificate", \.certificate, "what is wrong with its certificate"),
    .optional("key", \.key, "the key of the configuration that it hangs on"),
    .optional("lock", \.lock, "what locked the account with this very decision"),
    .optional("methods", \.methods, default: [], "how this machine can make sure of the person"),
    .optional("origin", \.origin, "whom it was asked"),
    .optional("parameter", \.parameter, "the parameter that is not as it has to be"),
    .optional("policy", \.policy, "the policy of the other side that is not met"),
    .optional("retryAfter", \.retryAfter, "in how many seconds the call may work"),
    .optional("scopes", \.scopes, default: [], "what the tenant did not grant"),
    .optional("status", \.status, "the status of the answer, in HTTP's terms"),
    .optional("triesLeft", \.triesLeft, "how many more wrong numbers are allowed")
  )
}
