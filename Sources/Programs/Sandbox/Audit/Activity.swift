import Time

/// Something that has happened, as an audit tells it afterwards.
struct Activity: Stored, Codable {
  enum Action: String, Codable, Shown {
    case devicePaired = "DEVICE.ACTIVATED"
    case devicePairingFailed = "DEVICE.ACTIVATION_FAILED"
    case deviceUnpaired = "DEVICE.DELETED"
    case deviceUpdated = "DEVICE.UPDATED"
    case deviceBlocked = "DEVICE.BLOCKED"
    case deviceUnblocked = "DEVICE.UNBLOCKED"
    case deviceLocked = "DEVICE.LOCKED"
    case deviceUnlocked = "DEVICE.UNLOCKED"
    case deviceKeysRotated = "DEVICE.KEYS_ROTATED"
    case deviceLogsReceived = "DEVICE.LOGS_RECEIVED"
    case userLocked = "USER.LOCKED"
    case userUnlocked = "USER.UNLOCKED"
    case authenticationStarted = "DEVICE_AUTHENTICATION.CREATED"
    case authenticationCompleted = "DEVICE_AUTHENTICATION.COMPLETED"
    case authenticationFailed = "DEVICE_AUTHENTICATION.FAILED"
    case authenticationTimedOut = "DEVICE_AUTHENTICATION.TIMED_OUT"
    case codeCompleted = "AUTHENTICATION_CODE.COMPLETED"
    case codeDenied = "AUTHENTICATION_CODE.DENIED"
    case fraudReported = "AUTHENTICATION.FRAUD_REPORTED"
    case biometricsRejected = "AUTHENTICATION.BIOMETRICS_REJECTED"

    fileprivate static let failures: Set<Action> = [
      .devicePairingFailed, .authenticationFailed, .authenticationTimedOut, .codeDenied, .fraudReported,
      .biometricsRejected,
    ]
  }

  private(set) var id = ID<Activity>.random()
  let action: Action
  let recordedAt: Timestamp
  let user: ID<User>?
  /// The user's name, which outlives the user here.
  let username: String?
  let device: ID<MFADevice>?
  let description: String

  static let maximumCount = 5000

  var status: String { Action.failures.contains(action) ? "FAILED" : "SUCCESS" }
}

extension Tenant {
  func audit(
    _ action: Activity.Action,
    user: ID<User>?,
    device: ID<MFADevice>? = nil,
    _ description: String
  ) {
    let activity = Activity(
      action: action,
      recordedAt: clock.now,
      user: user,
      username: user.flatMap { users[$0]?.username },
      device: device,
      description: description
    )
    activities.put(activity)
  }

  func audit(_ action: Activity.Action, _ device: MFADevice, _ description: String) {
    audit(action, user: device.user, device: device.id, description)
  }
}
