package import JSON
package import JSONRPC
internal import Journal
internal import WebAddress

extension RPCError {
  /// Every error of the interface but those that are reserved.
  package static let documented = ofProtocol + ofNativeSDK + ofDaemon

  private static let ofProtocol: [RPCError] = [
    parseError, invalidRequest, requestTooLarge, nestingTooDeep, duplicateName, batchTooLarge,
    methodNotFound, invalidParams, internalError, resultTooLarge,
  ]

  /// The errors that any call can end with, whatever its method.
  package static let common = ofProtocol + [internalFailure, locked, misconfigured, rateLimited, storage]

  /// Reads the error of a reply; what every program knows of it is that of the same code and reason.
  package init(reading json: JSON) throws(UnreadableValue) {
    guard let code = json["code"]?.int else { throw UnreadableValue().inside("code") }
    guard let message = json["message"]?.string else { throw UnreadableValue().inside("message") }
    let data = json["data"]
    let alike = Self.documented.filter { $0.code == code }
    let known = alike.first { $0.reason == data?["reason"]?.string } ?? alike.first
    let details = data?["details"]?.object ?? [:]
    let cause = data?["cause"]?.string
    let remedy = cause.flatMap { ErrorCause(rawValue: $0) }?.text(at: details.origin).remedy
    self = RPCError(
      code,
      data?["reason"]?.string ?? known?.reason ?? "",
      message,
      retry: data?["retry"]?.bool ?? known?.retry ?? false,
      exit: known?.exitCode ?? .refused,
      hint: remedy ?? known?.hint,
      causes: known?.causes ?? []
    )
    .caused(by: cause)
    .with(details)
  }
}

extension JSONObject {
  /// The origin that was asked, where the details of an error name one.
  fileprivate var origin: Origin? { self["origin"]?.string.flatMap { WebURL($0)?.origin } }
}

// What kinds of calls can end with, beside what any call can.

extension [RPCError] {
  /// What has to ask the platform for the caller.
  package static let platform: [RPCError] = [
    .notConfigured, .notPaired, .keyUnavailable, .noConnectivity, .serverError, .trustFailed,
    .clockSkew,
  ]

  package static let pairing: [RPCError] =
    platform + [
      .failedPolicy, .deviceRequirements, .passcodeNotVerified, .pairingRunning, .pairingKey, .quota,
    ]

  /// What decides a push.
  package static let decision: [RPCError] =
    platform + [
      .notFound, .alreadyAnswered, .pushTimeout, .cancelled, .accountLocked, .deviceMismatch,
      .deviceRequirements, .failedPolicy,
    ]

  /// What tries a PIN.
  package static let pin: [RPCError] = [.pinWrong, .pinDisabled, .keyUnavailable]

  /// What may want the person verified.
  package static let presence: [RPCError] = [.presenceRequired, .presenceFailed, .pinDisabled]

  package static let signOn: [RPCError] =
    pairing + [.notFound, .conflict, .tokenRejected]

  package static let session: [RPCError] = [
    .notFound, .notConfigured, .keyUnavailable, .noConnectivity, .serverError,
  ]
}

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

/// An error of a module that says which error of the interface a caller hears for it.
package protocol NamedError: Error {
  var rpcError: RPCError { get }
}

extension RPCError {
  /// The error that a caller hears; what is not foreseen is journalled and heard as a fault of the program.
  ///
  /// The one place in which an error becomes one of the interface's.
  package init(naming error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let error as any NamedError: self = error.rpcError
    default:
      Journal.error("a request failed unexpectedly", ["error": String(describing: type(of: error))])
      self = .internalFailure
    }
  }
}
