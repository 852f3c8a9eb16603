import JSON
import Time

// Who a device is.
extension Refusal {
  static let deviceUnknown = Refusal(401, "DEVICE_UNKNOWN", "The device is not known here.")
  static let deviceMismatch = Refusal(403, "DEVICE_MISMATCH", "The request belongs to another device.")
  static let deviceNotPaired = Refusal(400, "DEVICE_IS_NOT_PAIRED", "No user is paired on the device.")
  static let userNotPaired = Refusal(404, "DEVICE_IS_NOT_PAIRED", "The user is not paired on the device.")

  static func invalidProof(_ reason: String) -> Refusal {
    Refusal(401, "INVALID_PROOF", "The request is not proved to come from a device.")
      .because("INVALID_VALUE", DeviceProof.header, "the proof \(reason)")
  }

  static func clockSkew(serverTime: Timestamp) -> Refusal {
    let message = "The device's clock is more than \(DeviceProof.maximumSkew) seconds off."
    return Refusal(401, "CLOCK_SKEW", message).because("10015", "iat", "the proof was not made now")
      .with(["serverTime": serverTime.json])
  }
}

// What a device may do.
extension Refusal {
  static let accountLocked = Refusal(403, "ACCOUNT_LOCKED", "The account is closed for a while.")
  static let cursorUnknown =
    Refusal(410, "CURSOR_UNKNOWN", "The cursor is not known here; begin without one.")
  static let notificationExpired = Refusal(410, "PUSH_CONFIRMATION_TIMEOUT", "The time to answer is over.")
  static let notificationAnswered = Refusal(409, "ALREADY_ANSWERED", "The push was answered or cancelled.")
  static let numberMissing = Refusal(422, "NUMBER_REQUIRED", "The number is missing.")
  static let numberWrong = Refusal(422, "NUMBER_MISMATCH", "The number is wrong.")

  private static let invalidCode = "AUTHENTICATION_CODE_INVALID"
  /// The code is unknown, used, expired or another device's.
  static let codeRefused = Refusal(404, invalidCode, "The authentication code is not valid.")
  static let codeExpired = Refusal(410, invalidCode, "The authentication code is over.")
  static let codeAnswered = Refusal(409, "ALREADY_ANSWERED", "The authentication code is over.")

  static let failedPolicy = "FAILED_POLICY_REQUIREMENTS"
  static let integrityFailed = Refusal(403, failedPolicy, "The device does not meet the policy.")
    .because("INTEGRITY_DETECTION", "posture", "the device's integrity is not shown")

  static func requirementsUnmet(_ unmet: [String]) -> Refusal {
    let message = "The device does not meet the application's requirements."
    return unmet.reduce(Refusal(403, "FAILED_DEVICE_REQUIREMENTS_EVALUATION", message)) { refusal, reason in
      refusal.because("UNMET_REQUIREMENT", "posture", reason)
    }
  }
}

// Why a device cannot be paired.
extension Refusal {
  /// The key is unknown, used, expired or withdrawn: which of these is nobody's business who cannot use it.
  static let pairingKeyRefused = Refusal(404, "INVALID_PAIRING_KEY", "The pairing key is not valid.")

  static func wrongGeography(_ geography: Geography) -> Refusal {
    let message = "The pairing key belongs to another geography."
    return Refusal(421, "PAIRING_KEY_DATA_CENTER_MISMATCH", message).with(["geo": geography.json])
  }

  static let pairingDisabled = Refusal(403, failedPolicy, "The policy does not let devices be paired.")

  static func tooManyDevices(_ maximum: Int) -> Refusal {
    let reason = "a user can have at most \(maximum) devices"
    return Refusal(400, failedPolicy, "The user has as many devices as are allowed.")
      .because("LIMIT_EXCEEDED", "pairingKey", reason, ["maximumValue": .int(maximum)])
  }
}

// What may be wrong with the first passcode of a pairing.
extension Refusal {
  static let passcodeRetriesExceeded = beginAgain("RetriesExceeded", "The passcode was wrong too often")
  static let passcodeExpired = beginAgain("Expired", "The time for the passcode is over")
  static let clockUnsynchronized =
    Refusal(400, "UnSynchronizedClock", "The passcode is one of another time; the device's clock is wrong.")

  static func passcodeInvalid(triesLeft: Int) -> Refusal {
    Refusal(400, "InvalidOneTimePasscode", "The passcode is wrong.").with(["triesLeft": .int(triesLeft)])
  }

  private static func beginAgain(_ code: String, _ message: String) -> Refusal {
    Refusal(400, "OneTimePasscode\(code)", "\(message); pairing has to begin again.")
  }
}
