public import JSON
public import JSONRPC
internal import Journal
internal import WebAddress

extension RPCError {
  /// Every error of the interface except the reserved ones.
  public static let documented = ofProtocol + ofNativeSDK + ofDaemon

  private static let ofProtocol: [RPCError] = [
    parseError, invalidRequest, requestTooLarge, nestingTooDeep, duplicateName, batchTooLarge,
    methodNotFound, invalidParams, internalError, resultTooLarge,
  ]

  /// The errors that any call of any method can return.
  public static let common = ofProtocol + [internalFailure, locked, misconfigured, rateLimited, storage]

  /// Reads the error of a reply.
  ///
  /// The exit code and the hint come from the documented error with this code and reason.
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
  /// The server's origin, if the details of an error name one.
  fileprivate var origin: Origin? { self["origin"]?.string.flatMap { WebURL($0)?.origin } }
}

// Lists of errors that several methods share, in addition to the common errors.

extension [RPCError] {
  /// The errors of calls that send a request to the platform.
  public static let platform: [RPCError] = [
    .notConfigured, .notPaired, .keyUnavailable, .noConnectivity, .serverError, .trustFailed,
    .clockSkew,
  ]

  public static let pairing: [RPCError] =
    platform + [
      .failedPolicy, .deviceRequirements, .passcodeNotVerified, .pairingRunning, .pairingKey, .quota,
    ]

  /// The errors of calls that decide a push.
  public static let decision: [RPCError] =
    platform + [
      .notFound, .alreadyAnswered, .pushTimeout, .cancelled, .accountLocked, .deviceMismatch,
      .deviceRequirements, .failedPolicy,
    ]

  /// The errors of calls that verify a PIN.
  public static let pin: [RPCError] = [.pinWrong, .pinDisabled, .keyUnavailable]

  /// The errors of calls that may require user verification.
  public static let presence: [RPCError] = [.presenceRequired, .presenceFailed, .pinDisabled]

  public static let signOn: [RPCError] =
    pairing + [.notFound, .conflict, .tokenRejected]

  public static let session: [RPCError] = [
    .notFound, .notConfigured, .keyUnavailable, .noConnectivity, .serverError,
  ]
}

/// The details of an error; a single error has only some of these members.
public struct ErrorDetails: ControlObject {
  /// The ids of the matching accounts.
  public let accounts: [String]
  public let allowed: [String]
  /// The problem of the origin's certificate.
  public let certificate: CertificateProblem.RawValue?
  public let key: String?
  public let lock: AccountLock?
  public let methods: [String]
  /// The server's origin, such as `https://mfa.example.com`.
  public let origin: String?
  /// The invalid parameter.
  public let parameter: String?
  public let policy: String?
  public let retryAfter: Int?
  public let scopes: [String]
  public let status: Int?
  public let triesLeft: Int?

  public static let shape = Shape(
    ErrorDetails.init(
      accounts:
      allowed:
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
    .optional("accounts", \.accounts, default: [], "the matching accounts, if one must be named"),
    .optional("allowed", \.allowed, default: [], "the allowed values, or the names of all parameters"),
    .optional("certificate", \.certificate, "the problem of the origin's certificate"),
    .optional("key", \.key, "the related configuration key"),
    .optional("lock", \.lock, "the lock that this decision caused"),
    .optional("methods", \.methods, default: [], "the available methods of user verification"),
    .optional("origin", \.origin, "the server's origin"),
    .optional("parameter", \.parameter, "the invalid parameter"),
    .optional("policy", \.policy, "the policy of the server that is not met"),
    .optional("retryAfter", \.retryAfter, "the seconds until the call may work"),
    .optional("scopes", \.scopes, default: [], "the scopes that the tenant did not grant"),
    .optional("status", \.status, "the HTTP status of the response"),
    .optional("triesLeft", \.triesLeft, "the number of attempts left")
  )
}

extension ErrorDetails {
  /// Returns the details of an invalid or unknown parameter.
  public static func of(parameter: String, allowed: [String]) -> JSONObject {
    ["parameter": .string(parameter), "allowed": .strings(allowed)]
  }
}

/// An error of a module that maps itself to an error of the interface.
public protocol NamedError: Error {
  var rpcError: RPCError { get }
}

extension RPCError {
  /// Maps any error to the error that the caller gets.
  ///
  /// An error that is neither an `RPCError` nor a `NamedError` is journalled and becomes `INTERNAL_ERROR`.
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
