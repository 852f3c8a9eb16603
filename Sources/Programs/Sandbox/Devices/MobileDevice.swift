import Time

/// A device as one user has it: the pairing of a user with a trusted device, and an MFA device of the user.
struct MobileDevice: Stored, Codable {
  enum Status: String, Codable, Shown {
    /// Paired, but its first passcode has not been checked.
    case activationRequired = "ACTIVATION_REQUIRED"
    case active = "ACTIVE"
  }

  enum LogRequest: Codable {
    case pending(until: Deadline)
    case received
  }

  private(set) var id = ID<MobileDevice>.random()
  let user: ID<User>
  let device: ID<TrustedDevice>
  let pairingKey: ID<PairingKey>
  let application: ID<Application>
  let policy: ID<Policy>
  let secret: PasscodeSecret
  let activation: Deadline
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var status = Status.activationRequired
  var nickname: String?
  var blockedAt: Timestamp?
  var activationTriesLeft = 3
  var usedWindows: Set<Int> = []
  var passcodeFailures = 0
  var passcodeLock: Deadline?
  /// When pushes were ignored or denied, one after the other.
  var pushMisses: [Deadline] = []
  /// Until when no push is sent or answered after too many of these.
  var pushLock: Deadline?
  var logRequest: LogRequest?

  static let activationSeconds = 15 * 60
  static let maximumNickname = 256
}

extension Tenant {
  /// The active devices of a user, the default one first.
  func activeDevices(of user: ID<User>) -> [MobileDevice] {
    let active = devices.all.filter { $0.user == user && $0.status == .active }
    let first = (users[user]?.deviceOrder ?? []).compactMap { id in active.first { $0.id == id } }
    return first + active.filter { device in !first.contains { $0.id == device.id } }
  }

  func pairings(on device: ID<TrustedDevice>) -> [MobileDevice] {
    devices.all.filter { $0.device == device && $0.status == .active }
  }

  /// Forgets a device altogether, with all that is paired on it: its keys are nobody's from now on.
  func forget(_ device: TrustedDevice) {
    for pairing in devices.all where pairing.device == device.id {
      unpair(pairing, "The platform forgot the device.")
    }
    trustedDevices[device.id] = nil
    bells.ring(for: device.id)
  }

  func unpair(_ device: MobileDevice, _ reason: String) {
    devices[device.id] = nil
    if device.status == .active { audit(.deviceUnpaired, device, reason) }
    withdrawPushes(to: device)
  }

  func withdrawPushes(to device: MobileDevice) {
    for notification in notifications.all
    where notification.device == device.device && notification.user == device.user {
      withdraw(notification.id, by: .platform)
    }
  }
}
