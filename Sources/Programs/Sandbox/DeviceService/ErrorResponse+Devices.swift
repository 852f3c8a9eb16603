import JSON
import Time

// Errors about the identity of a device.
extension ErrorResponse {
  static let deviceUnknown = ErrorResponse(401, "DEVICE_UNKNOWN", "The device is unknown.")
  static let deviceMismatch = ErrorResponse(403, "DEVICE_MISMATCH", "The request belongs to another device.")
  static let deviceNotPaired = ErrorResponse(400, "DEVICE_IS_NOT_PAIRED", "No user is paired on the device.")
  static let userNotPaired = ErrorResponse(
    404,
    "DEVICE_IS_NOT_PAIRED",
    "The user is not paired on the device."
  )

  static func invalidProof(_ reason: String) -> ErrorResponse {
    ErrorResponse(401, "INVALID_PROOF", "The proof of the device is not valid.")
      .withDetail("INVALID_VALUE", RequestProof.header, "the proof \(reason)")
  }

  static func clockSkew(serverTime: Timestamp) -> ErrorResponse {
    let message = "The device's clock is more than \(RequestProof.maximumSkew) seconds off."
    return ErrorResponse(401, "CLOCK_SKEW", message).withDetail("10015", "iat", "the proof is not current")
      .with(["serverTime": serverTime.json])
  }
}

// Errors about the permissions of a device.
extension ErrorResponse {
  static let accountLocked = ErrorResponse(403, "ACCOUNT_LOCKED", "The account is temporarily locked.")
  static let cursorUnknown =
    ErrorResponse(410, "CURSOR_UNKNOWN", "The cursor is unknown; start without a cursor.")
  static let notificationExpired = ErrorResponse(
    410,
    "PUSH_CONFIRMATION_TIMEOUT",
    "The time to answer has expired."
  )
  static let notificationAnswered = ErrorResponse(
    409,
    "ALREADY_ANSWERED",
    "The push was answered or cancelled."
  )
  static let numberMissing = ErrorResponse(422, "NUMBER_REQUIRED", "The number is missing.")
  static let numberWrong = ErrorResponse(422, "NUMBER_MISMATCH", "The number is wrong.")

  private static let invalidCode = "AUTHENTICATION_CODE_INVALID"
  /// The code is unknown, used, expired or belongs to another device.
  static let codeRefused = ErrorResponse(404, invalidCode, "The authentication code is not valid.")
  static let codeExpired = ErrorResponse(410, invalidCode, "The authentication code has expired.")
  static let codeAnswered = ErrorResponse(409, "ALREADY_ANSWERED", "The authentication code was answered.")

  static let failedPolicy = "FAILED_POLICY_REQUIREMENTS"
  static let integrityFailed = ErrorResponse(403, failedPolicy, "The device does not meet the policy.")
    .withDetail("INTEGRITY_DETECTION", "posture", "the device's integrity is not proved")

  static func requirementsUnmet(_ unmet: [String]) -> ErrorResponse {
    let message = "The device does not meet the application's requirements."
    return unmet.reduce(ErrorResponse(403, "FAILED_DEVICE_REQUIREMENTS_EVALUATION", message)) {
      refusal,
      reason in
      refusal.withDetail("UNMET_REQUIREMENT", "posture", reason)
    }
  }
}

// Reasons why a device cannot be paired.
extension ErrorResponse {
  /// The key is unknown, used, expired or withdrawn.
  ///
  /// All cases have the same error, so that it tells unauthorized devices nothing about the key.
  static let pairingKeyRefused = ErrorResponse(404, "INVALID_PAIRING_KEY", "The pairing key is not valid.")

  static func wrongGeography(_ geography: PlatformGeography) -> ErrorResponse {
    let message = "The pairing key belongs to another geography."
    return ErrorResponse(421, "PAIRING_KEY_DATA_CENTER_MISMATCH", message).with(["geo": geography.json])
  }

  static let pairingDisabled = ErrorResponse(403, failedPolicy, "The policy does not allow pairing.")

  static func tooManyDevices(_ maximum: Int) -> ErrorResponse {
    let reason = "a user can have at most \(maximum) devices"
    return ErrorResponse(400, failedPolicy, "The user has the maximum number of devices.")
      .withDetail("LIMIT_EXCEEDED", "pairingKey", reason, ["maximumValue": .int(maximum)])
  }
}

// Errors about the first passcode of a pairing.
extension ErrorResponse {
  static let passcodeRetriesExceeded = beginAgain("RetriesExceeded", "Too many wrong passcodes")
  static let passcodeExpired = beginAgain("Expired", "The time for the passcode has expired")
  static let clockUnsynchronized =
    ErrorResponse(
      400,
      "UnSynchronizedClock",
      "The passcode is for another time; the device's clock is wrong."
    )

  static func passcodeInvalid(triesLeft: Int) -> ErrorResponse {
    ErrorResponse(400, "InvalidOneTimePasscode", "The passcode is wrong.").with(["triesLeft": .int(triesLeft)]
    )
  }

  private static func beginAgain(_ code: String, _ message: String) -> ErrorResponse {
    ErrorResponse(400, "OneTimePasscode\(code)", "\(message); the pairing must be started again.")
  }
}
