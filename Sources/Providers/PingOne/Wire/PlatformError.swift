public import Configuration
public import ControlAPI
internal import CourierLink
public import CourierProtocol
internal import JSON
public import JSONRPC
public import WebAddress

/// Why the platform did not do what it was asked.
public enum PlatformError: NamedError, Sendable, Equatable {
  /// No response came; nothing is known of what happened there.
  case unreachable(CourierFailure, at: Origin? = nil)
  /// What came was signed by a key that is not held of the platform; it may have a new one.
  case unknownKey
  /// What came was no authenticated response, or said that the platform failed.
  case failed(ErrorCause, status: Int? = nil, at: Origin? = nil)
  /// The platform understood and refused, in the terms of the interface.
  case refused(RPCError)
  /// The clock of this machine is off by so many seconds; the platform did not look at what it was asked.
  case clockOff(by: Int)
  /// A pairing key belongs to the platform of another geography.
  case elsewhere(Geography)
  /// The platform does not know this device any more.
  case deviceUnknown

  public var rpcError: RPCError {
    switch self {
    case .unreachable(let failure, let origin): failure.rpcError(at: origin)
    case .failed(let cause, let status, let origin): .serverError.because(cause, status: status, at: origin)
    case .unknownKey: .serverError.because(.notPlatform)
    case .refused(let error): error
    case .clockOff(let offset): .clockSkew(behind: offset, "the platform's")
    case .elsewhere: .pairingKey
    case .deviceUnknown: .notPaired
    }
  }
}

/// The one place in which the platform's error codes become the interface's.
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

  /// The codes of a passcode's first check that are outcomes of a pairing and no failures of the call.
  static let passcodeOutcomes: Set<String> = [
    "InvalidOneTimePasscode", "OneTimePasscodeExpired", "OneTimePasscodeRetriesExceeded",
    "UnSynchronizedClock",
  ]

  /// The refusal that a response tells: by the code of its details, else by its own, else a failure.
  static func refusal(_ response: DeviceResponse, else failure: RPCError = .serverError) -> PlatformError {
    let details = response.body["details"]?.array?.compactMap { $0["code"]?.string } ?? []
    let codes = details + [response.body["code"]?.string].compactMap(\.self)
    let error = codes.lazy.compactMap { errors[$0] }.first ?? failure.because(.http, status: response.status)
    // Which policy locked an account, and until when, where the response says it.
    guard error == .accountLocked, let lock = AccountLock(platform: response.body) else {
      return .refused(error)
    }
    return .refused(.accountLocked(lock))
  }
}

extension DeviceResponse {
  /// The body of a response that did what was asked.
  func succeeded() throws(PlatformError) -> JSON {
    guard (200..<300).contains(status) else { throw ErrorMapping.refusal(self) }
    return body
  }
}

extension PlatformError {
  /// What it means for a question that the courier could not carry, and why.
  init(_ failure: CourierFailure, at origin: Origin) {
    self =
      failure.cause == .malformed
      ? .failed(.malformed, at: origin) : .unreachable(failure, at: origin)
  }
}
