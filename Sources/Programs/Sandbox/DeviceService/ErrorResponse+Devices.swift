import JSON
import Time

// Who a device is.
extension ErrorResponse {
  static let deviceUnknown = ErrorResponse(401, "DEVICE_UNKNOWN", "The device is not known here.")
  static let deviceMismatch = ErrorResponse(403, "DEVICE_MISMATCH", "The request belongs to another device.")
  static let deviceNotPaired = ErrorResponse(400, "DEVICE_IS_NOT_PAIRED", "No user is paired on the device.")
  static let userNotPaired = ErrorResponse(
    404,
    "DEVICE_IS_NOT_PAIRED",
    "The user is not paired on the device."
  )

  static func invalidProof(_ reason: String) -> ErrorResponse {
    ErrorResponse(401, "INVALID_PROOF", "The request is not proved to come from a device.")
      .because("INVALID_VALUE", RequestProof.header, "the proof \(reason)")
  }

  static func clockSkew(serverTime: Timestamp) -> ErrorResponse {
    let message = "The device's clock is more than \(RequestProof.maximumSkew) seconds off."
    return ErrorResponse(401, "CLOCK_SKEW", message).because("10015", "iat", "the proof was not made now")
      .with(["serverTime": serverTime.json])
  }
}

// What a device may do.
extension ErrorResponse {
  static let accountLocked = ErrorResponse(403, "ACCOUNT_LOCKED", "The account is closed for a while.")
  static let cursorUnknown =
    ErrorResponse(410, "CURSOR_UNKNOWN", "The cursor is not known here; begin without one.")
  static let notificationExpired = ErrorResponse(
    410,
    "PUSH_CONFIRMATION_TIMEOUT",
    "The time to answer is over."
  )
  static let notificationAnswered = ErrorResponse(
    409,
    "ALREADY_ANSWERED",
    "The push was answered or cancelled."
  )
  static let numberMissing = ErrorResponse(422, "NUMBER_REQUIRED", "The number is missing.")
  static let numberWrong = ErrorResponse(422, "NUMBER_MISMATCH", "The number is wrong.")

  private static let invalidCode = "AUTHENTICATION_CODE_INVALID"
  /// The code is unknown, used, expired or another device's.
  static let codeRefused = ErrorResponse(404, invalidCode, "The authentication code is not valid.")
  static let codeExpired = ErrorResponse(410, invalidCode, "The authentication code is over.")
  static let codeAnswered = ErrorResponse(409, "ALREADY_ANSWERED", "The authentication code is over.")

  static let failedPolicy = "FAILED_POLICY_REQUIREMENTS"
  static let integrityFailed = ErrorResponse(403, failedPolicy, "The device does not meet the policy.")
    .because("INTEGRITY_DETECTION", "posture", "the device's integrity is not shown")

  static func requirementsUnmet(_ unmet: [String]) -> ErrorResponse {
    let message = "The device does not meet the application's requirements."
    return unmet.reduce(ErrorResponse(403, "FAILED_DEVICE_REQUIREMENTS_EVALUATION", message)) {
      refusal,
      reason in
      refusal.because("UNMET_REQUIREMENT", "posture", reason)
    }
  }
}

// Why a device cannot be paired.
extension ErrorResponse {
  /// The key is unknown, used, expired or withdrawn: which of these is nobody's business who cannot use it.
  static let pairingKeyRefused = ErrorResponse(404, "INVALID_PAIRING_KEY", "The pairing key is not valid.")

  static func wrongGeography(_ geography: PlatformGeography) -> ErrorResponse {
    let message = "The pairing key belongs to another geography."
    return ErrorResponse(421, "PAIRING_KEY_DATA_CENTER_MISMATCH", message).with(["geo": geography.json])
  }

  static let pairingDisabled = ErrorResponse(403, failedPolicy, "The policy does not let devices be paired.")

  static func tooManyDevices(_ maximum: Int) -> ErrorResponse {
    let reason = "a user can have at most \(maximum) devices"
    return ErrorResponse(400, failedPolicy, "The user has as many devices as are allowed.")
      .because("LIMIT_EXCEEDED", "pairingKey", reason, ["maximumValue": .int(maximum)])
  }
}

// What may be wrong with the first passcode of a pairing.
extension ErrorResponse {
  static let passcodeRetriesExceeded = beginAgain("RetriesExceeded", "The passcode was wrong too often")
  static let passcodeExpired = beginAgain("Expired", "The time for the passcode is over")
  static let clockUnsynchronized =
    ErrorResponse(
      400,
      "UnSynchronizedClock",
      "The passcode is one of another time; the device's clock is wrong."
    )

  static func passcodeInvalid(triesLeft: Int) -> ErrorResponse {
    ErrorResponse(400, "InvalidOneTimePasscode", "The passcode is wrong.").with(["triesLeft": .int(triesLeft)]
    )
  }

  private static func beginAgain(_ code: String, _ message: String) -> ErrorResponse {
    ErrorResponse(400, "OneTimePasscode\(code)", "\(message); pairing has to begin again.")
  }
}
