import Time

/// An MFA device of a user.
struct MFADevice: Stored, Codable {
  enum Kind: String, CaseIterable, Codable, Shown {
    case mobile = "MOBILE"
    case totp = "TOTP"
  }

  enum Status: String, CaseIterable, Codable, Shown {
    /// Made, but its first passcode has not been checked.
    case activationRequired = "ACTIVATION_REQUIRED"
    case active = "ACTIVE"
  }

  private(set) var id = ID<MFADevice>.random()
  let kind: Kind
  let user: ID<User>
  let secret: PasscodeSecret
  let activation: Deadline
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var status = Status.activationRequired
  var nickname: String?
  var blockedAt: Timestamp?
  var usedWindows: Set<Int> = []
  var passcodeFailures = 0
  var passcodeLock: Deadline?
  /// What only a device of the kind MOBILE has.
  var mobile: MobilePairing?

  var handles: [String] { [user.text] + (mobile.map { [$0.device.text] } ?? []) }
}

extension Tenant {
  /// The active devices of a user, the default one first.
  func activeDevices(of user: ID<User>) -> [MFADevice] {
    let active = devices.all(by: user.text).filter { $0.status == .active }
    let first = (users[user]?.deviceOrder ?? []).compactMap { id in active.first { $0.id == id } }
    return first + active.filter { device in !first.contains { $0.id == device.id } }
  }

  func remove(_ device: MFADevice) {
    devices[device.id] = nil
    withdrawPushes(to: device)
  }

  /// What a person would call a device.
  func title(of device: MFADevice) -> String {
    let name = device.mobile.flatMap { trustedDevices[$0.device]?.name }
    return device.nickname ?? name ?? device.kind.rawValue
  }
}
