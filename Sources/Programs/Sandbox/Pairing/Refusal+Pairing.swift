import JSON

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
