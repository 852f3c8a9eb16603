/// The pairing of a user with a trusted device.
struct MobilePairing: Codable {
  enum LogRequest: Codable {
    case pending(until: Deadline)
    case received
  }

  let device: ID<TrustedDevice>
  let pairingKey: ID<PairingKey>
  var activationTriesLeft = 3
  /// When pushes were ignored or denied, one after the other.
  var pushMisses: [Deadline] = []
  /// Until when no push is sent or answered after too many of these.
  var pushLock: Deadline?
  var logRequest: LogRequest?

  static let activationSeconds = 15 * 60
  static let maximumNickname = 256
}

extension Tenant {
  func pairings(on device: ID<TrustedDevice>) -> [MFADevice] {
    devices.all(by: device.text).filter { $0.status == .active }
  }

  /// Forgets a device altogether, with all that is paired on it: its keys are nobody's from now on.
  func forget(_ device: TrustedDevice) {
    for pairing in devices.all(by: device.id.text) { remove(pairing) }
    trustedDevices[device.id] = nil
    bells.ring(for: device.id)
  }

  func withdrawPushes(to device: MFADevice) {
    guard let trusted = device.mobile?.device else { return }
    for notification in notifications.outstanding(for: trusted) where notification.user == device.user {
      withdraw(notification.id, by: .platform)
    }
  }
}
