internal import ControlAPI
internal import JSON
internal import JSONRPC

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
