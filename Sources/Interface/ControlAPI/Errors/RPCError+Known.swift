public import JSON
public import JSONRPC
internal import Journal
internal import WebAddress

extension RPCError {
  /// Every error of the interface but those that are reserved.
  public static let documented = ofProtocol + ofNativeSDK + ofDaemon

  private static let ofProtocol: [RPCError] = [
    parseError, invalidRequest, requestTooLarge, nestingTooDeep, duplicateName, batchTooLarge,
    methodNotFound, invalidParams, internalError, resultTooLarge,
  ]

  /// The errors that any call can end with, whatever its method.
  public static let common = ofProtocol + [internalFailure, locked, misconfigured, rateLimited, storage]

  /// Reads the error of a reply; what every program knows of it is that of the same code and reason.
  public init(reading json: JSON) throws(UnreadableValue) {
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
  public static let platform: [RPCError] = [
    .notConfigured, .notPaired, .keyUnavailable, .noConnectivity, .serverError, .trustFailed,
    .clockSkew,
  ]

  public static let pairing: [RPCError] =
    platform + [
      .failedPolicy, .deviceRequirements, .passcodeNotVerified, .pairingRunning, .pairingKey, .quota,
    ]

  /// What decides a push.
  public static let decision: [RPCError] =
    platform + [
      .notFound, .alreadyAnswered, .pushTimeout, .cancelled, .accountLocked, .deviceMismatch,
      .deviceRequirements, .failedPolicy,
    ]

  /// What tries a PIN.
  public static let pin: [RPCError] = [.pinWrong, .pinDisabled, .keyUnavailable]

  /// What may want the person verified.
  public static let presence: [RPCError] = [.presenceRequired, .presenceFailed, .pinDisabled]

  public static let signOn: [RPCError] =
    pairing + [.notFound, .conflict, .tokenRejected]

  public static let session: [RPCError] = [
    .notFound, .notConfigured, .keyUnavailable, .noConnectivity, .serverError,
  ]
}

/// What the details of an error may tell; each error tells some of it.
public struct ErrorDetails: ControlObject {
  /// The ids of the accounts that fit.
  public let accounts: [String]
  /// What is wrong with the certificate of the origin.
  public let certificate: CertificateProblem.RawValue?
  public let key: String?
  public let lock: AccountLock?
  public let methods: [String]
  /// The origin that was asked, as `https://mfa.example.com`.
  public let origin: String?
  /// The parameter that is not as it has to be.
  public let parameter: String?
  public let policy: String?
  public let retryAfter: Int?
  public let scopes: [String]
  public let status: Int?
  public let triesLeft: Int?

  public static let shape = Shape(
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
public protocol NamedError: Error {
  var rpcError: RPCError { get }
}

extension RPCError {
  /// The error that a caller hears; what is not foreseen is journalled and heard as a fault of the program.
  ///
  /// The one place in which an error becomes one of the interface's.
  public init(naming error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let error as any NamedError: self = error.rpcError
    default:
      Journal.error("a request failed unexpectedly", ["error": String(describing: type(of: error))])
      self = .internalFailure
    }
  }
}
