import JSON

// The table of the refusals: what each is on the wire.
extension Refusal {
  var row: (status: Int, code: String, message: String) {
    let failed = "The request could not be completed."
    return switch self {
    case .unauthorized: (401, "INVALID_TOKEN", "\(failed) A valid access token is needed.")
    case .accessFailed: (403, "ACCESS_FAILED", "\(failed) You do not have access to this resource.")
    case .notFound: (404, "NOT_FOUND", "\(failed) The requested resource was not found.")
    case .methodNotAllowed: (405, "METHOD_NOT_ALLOWED", "\(failed) The resource does not support the method.")
    case .unsupportedMediaType:
      (415, "UNSUPPORTED_MEDIA_TYPE", "\(failed) The content type is not supported.")
    case .unexpected: (500, "UNEXPECTED_ERROR", "\(failed) There was an unexpected error with the service.")
    case .invalidData: (400, "INVALID_DATA", "\(failed) One or more validation errors were in the request.")
    case .invalidRequest(let message): (400, "INVALID_REQUEST", message)
    case .limitExceeded(let message): (400, "LIMIT_EXCEEDED", message)
    case .oauth(let code, let description, let status): (status, code, description)
    case .fault(let status): (status, "SANDBOX_FAULT", "A fault was asked for.")
    case .deviceUnknown: (401, "DEVICE_UNKNOWN", "The device is not known here.")
    case .deviceMismatch: (403, "DEVICE_MISMATCH", "The request belongs to another device.")
    case .deviceNotPaired: (400, "DEVICE_IS_NOT_PAIRED", "No user is paired on the device.")
    case .userNotPaired: (404, "DEVICE_IS_NOT_PAIRED", "The user is not paired on the device.")
    case .invalidProof: (401, "INVALID_PROOF", "The request is not proved to come from a device.")
    case .clockSkew:
      (401, "CLOCK_SKEW", "The device's clock is more than \(DeviceProof.maximumSkew) seconds off.")
    case .accountLocked: (403, "ACCOUNT_LOCKED", "The account is closed for a while.")
    case .integrityFailed: (403, "FAILED_POLICY_REQUIREMENTS", "The device does not meet the policy.")
    case .requirementsUnmet:
      (
        403, "FAILED_DEVICE_REQUIREMENTS_EVALUATION",
        "The device does not meet the application's requirements."
      )
    case .cursorUnknown: (410, "CURSOR_UNKNOWN", "The cursor is not known here; begin without one.")
    case .notificationExpired: (410, "PUSH_CONFIRMATION_TIMEOUT", "The time to answer is over.")
    case .notificationAnswered: (409, "ALREADY_ANSWERED", "The push was answered or cancelled.")
    case .numberMissing: (422, "NUMBER_REQUIRED", "The number is missing.")
    case .numberWrong: (422, "NUMBER_MISMATCH", "The number is wrong.")
    case .codeRefused: (404, "AUTHENTICATION_CODE_INVALID", "The authentication code is not valid.")
    case .codeExpired: (410, "AUTHENTICATION_CODE_INVALID", "The authentication code is over.")
    case .codeAnswered: (409, "ALREADY_ANSWERED", "The authentication code is over.")
    case .pairingKeyRefused: (404, "INVALID_PAIRING_KEY", "The pairing key is not valid.")
    case .otherApplication: (400, "INVALID_PAIRING_KEY", "The pairing key is not valid.")
    case .wrongGeography:
      (421, "PAIRING_KEY_DATA_CENTER_MISMATCH", "The pairing key belongs to another geography.")
    case .pairingDisabled: (403, "FAILED_POLICY_REQUIREMENTS", "The policy does not let devices be paired.")
    case .tooManyDevices: (400, "FAILED_POLICY_REQUIREMENTS", "The user has as many devices as are allowed.")
    case .passcodeInvalid: (400, "InvalidOneTimePasscode", "The passcode is wrong.")
    case .passcodeRetriesExceeded:
      (400, "OneTimePasscodeRetriesExceeded", "The passcode was wrong too often; pairing has to begin again.")
    case .passcodeExpired:
      (400, "OneTimePasscodeExpired", "The time for the passcode is over; pairing has to begin again.")
    case .clockUnsynchronized:
      (400, "UnSynchronizedClock", "The passcode is one of another time; the device's clock is wrong.")
    }
  }

  var details: [Detail] {
    switch self {
    case .invalidData(let detail): [detail]
    case .invalidProof(let reason): [Detail("INVALID_VALUE", DeviceProof.header, "the proof \(reason)")]
    case .clockSkew: [Detail("10015", "iat", "the proof was not made now")]
    case .integrityFailed: [Detail("INTEGRITY_DETECTION", "posture", "the device's integrity is not shown")]
    case .requirementsUnmet(let unmet): unmet.map { Detail("UNMET_REQUIREMENT", "posture", $0) }
    case .otherApplication: [Detail("BUNDLE_ID", "pairingKey", "the pairing key is for another application")]
    case .tooManyDevices(let maximum):
      [
        Detail(
          "LIMIT_EXCEEDED",
          "pairingKey",
          "a user can have at most \(maximum) devices",
          innerError: ["maximumValue": .int(maximum)]
        )
      ]
    default: []
    }
  }

  /// Further members, where the device service says so.
  var extra: JSONObject {
    switch self {
    case .accountLocked(let members), .notificationExpired(let members), .notificationAnswered(let members),
      .numberMissing(let members), .numberWrong(let members), .codeExpired(let members),
      .codeAnswered(let members):
      members
    case .clockSkew(let serverTime): ["serverTime": serverTime.json]
    case .wrongGeography(let geography): ["geo": geography.json]
    case .passcodeInvalid(let triesLeft): ["triesLeft": .int(triesLeft)]
    default: [:]
    }
  }
}
