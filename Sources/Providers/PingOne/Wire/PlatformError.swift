public import Configuration
public import ControlAPI
internal import CourierLink
public import CourierProtocol
internal import JSON
public import JSONRPC
public import WebAddress

/// The reason why a request to the platform failed.
public enum PlatformError: NamedError, Sendable, Equatable {
  /// There was no response. It is unknown whether the platform processed the request.
  case unreachable(CourierFailure, at: Origin? = nil)
  /// The response was signed with a key that is not stored for the platform. The platform may have a new key.
  case unknownKey
  /// The response was not authentic or not valid, or it reported a failure of the platform.
  case failed(ErrorCause, status: Int? = nil, at: Origin? = nil)
  /// The platform processed the request and refused it. The client gets this error.
  case refused(RPCError)
  /// The clock of this machine is wrong by this number of seconds. The platform did not process the request.
  case clockOff(by: Int)
  /// A pairing key belongs to the platform of another geography.
  case elsewhere(Geography)
  /// The platform no longer knows this device.
  case deviceUnknown

  public var rpcError: RPCError {
    switch self {
    case .unreachable(let failure, let origin): failure.rpcError(at: origin)
    case .failed(let cause, let status, let origin): .serverError.withCause(cause, status: status, at: origin)
    case .unknownKey: .serverError.withCause(.notPlatform)
    case .refused(let error): error
    case .clockOff(let offset): .clockSkew(behind: offset, "the platform's")
    case .elsewhere: .pairingKey
    case .deviceUnknown: .notPaired
    }
  }
}

/// Maps the platform's error codes to errors of the interface.
enum ErrorMapping {
  private static let errors: [String: RPCError] = [
    "ACCOUNT_LOCKED": .accountLocked,
    "AUTHENTICATION_CODE_INVALID": .authenticationCode,
    "BUNDLE_ID": .bundleID,
    "DEVICE_IS_NOT_PAIRED": .notPaired,
    "DEVICE_MISMATCH": .deviceMismatch,
    "FAILED_DEVICE_REQUIREMENTS_EVALUATION": .deviceRequirements,
    "FAILED_POLICY_REQUIREMENTS": .failedPolicy,
    "INVALID_PAIRING_KEY": .pairingKey,
    "PAIRING_DISABLED": .failedPolicy,
    "PAIRING_KEY_DATA_CENTER_MISMATCH": .pairingKey,
    "PUSH_CONFIRMATION_TIMEOUT": .pushTimeout,
  ]

  /// Error codes of the first passcode check; they are results of the pairing and are not thrown as errors.
  static let passcodeOutcomes: Set<String> = [
    "InvalidOneTimePasscode", "OneTimePasscodeExpired", "OneTimePasscodeRetriesExceeded",
    "UnSynchronizedClock",
  ]

  /// Returns the refusal in a response.
  ///
  /// Known codes in `details` take precedence over `code`. Without a known code, the error is `failure`.
  static func refusal(_ response: DeviceResponse, else failure: RPCError = .serverError) -> PlatformError {
    let details = response.body["details"]?.array?.compactMap { $0["code"]?.string } ?? []
    let codes = details + [response.body["code"]?.string].compactMap(\.self)
    let error =
      codes.lazy.compactMap { errors[$0] }.first ?? failure.withCause(.http, status: response.status)
    // Add the policy of an account lock and its end, if the response has them.
    guard error == .accountLocked, let lock = AccountLock(platform: response.body) else {
      return .refused(error)
    }
    return .refused(.accountLocked(lock))
  }
}

extension DeviceResponse {
  /// Returns the body of a successful response; throws the refusal otherwise.
  func succeeded() throws(PlatformError) -> JSON {
    guard (200..<300).contains(status) else { throw ErrorMapping.refusal(self) }
    return body
  }
}

extension PlatformError {
  /// Creates the error for a request that the courier could not deliver.
  init(_ failure: CourierFailure, at origin: Origin) {
    self =
      failure.cause == .malformed
      ? .failed(.malformed, at: origin) : .unreachable(failure, at: origin)
  }
}
