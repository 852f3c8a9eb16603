import EventLoop
import JSON
import Time

/// An MFA device of a user.
struct MFADevice: Stored, Codable {
  enum Kind: String, CaseIterable, Codable, Shown {
    case mobile = "MOBILE"
    case totp = "TOTP"
  }

  enum Status: String, CaseIterable, Codable, Shown {
    /// Created, but its first passcode has not been checked.
    case activationRequired = "ACTIVATION_REQUIRED"
    case active = "ACTIVE"
  }

  private(set) var id = ID<MFADevice>.random()
  let kind: Kind
  let user: ID<PlatformUser>
  let secret: PasscodeSecret
  let activation: EndTime
  let createdAt: Timestamp
  var updatedAt: Timestamp
  var status = Status.activationRequired
  var nickname: String?
  var blockedAt: Timestamp?
  var usedWindows: Set<Int> = []
  var passcodeFailures = 0
  var passcodeLock: EndTime?
  /// Properties of a device of the kind MOBILE.
  var mobile: MobilePairing?

  var handles: [String] { [user.text] + (mobile.map { [$0.device.text] } ?? []) }
}

extension Tenant {
  /// Returns the active devices of a user, the default device first.
  func activeDevices(of user: ID<PlatformUser>) -> [MFADevice] {
    let active = devices.all(by: user.text).filter { $0.status == .active }
    let first = (users[user]?.deviceOrder ?? []).compactMap { id in active.first { $0.id == id } }
    return first + active.filter { device in !first.contains { $0.id == device.id } }
  }

  func remove(_ device: MFADevice) {
    devices[device.id] = nil
    withdrawPushes(to: device)
  }

  /// Returns the display name of a device.
  func title(of device: MFADevice) -> String {
    let name = device.mobile.flatMap { trustedDevices[$0.device]?.name }
    return device.nickname ?? name ?? device.kind.rawValue
  }
}

extension MFADevice: Resource {
  func json(in tenant: Tenant) -> JSON {
    let trusted = mobile.flatMap { tenant.trustedDevices[$0.device] }
    return .of([
      "_links": links(in: tenant), "id": id, "environment": tenant.environment.id.reference,
      "user": user.reference, "type": kind, "status": status,
      "application": mobile.map { _ in tenant.application.id.reference },
      "policy": tenant.policy.id.reference, "nickname": nickname,
      "pushEnabled": mobile.map { _ in trusted?.isPushEnabled ?? false },
      "os": trusted.map { JSON.of(["type": $0.system, "version": $0.systemVersion]) },
      "model": trusted.map { JSON.of(["name": $0.name]) }, "applicationVersion": trusted?.version,
      "block": blockedAt.map { JSON.of(["status": "BLOCKED", "blockedAt": $0]) },
      "lock": lockMembers(in: tenant), "logs": logs(in: tenant), "createdAt": createdAt,
      "updatedAt": updatedAt,
    ])
  }
}

@EventLoop
extension MFADevice {
  private func links(in tenant: Tenant) -> JSON {
    let owner = "\(tenant.managementURL)/users/\(user.text)"
    let address = "\(owner)/devices/\(id.text)"
    let links: JSON = .links([
      "self": address, "environment": tenant.managementURL, "user": owner,
      blockedAt == nil ? "device.block" : "device.unblock": address, "device.unlock": address,
    ])
    guard mobile == nil, status == .activationRequired else { return links }
    return links.adding(.links(["device.activate": address]))
  }

  private func lockMembers(in tenant: Tenant) -> JSON? {
    let ends = [passcodeLock, mobile?.pushLock].compactMap(\.self).filter { !tenant.clock.isOver($0) }
    guard let end = ends.max(by: { $0.instant < $1.instant }) else { return nil }
    return .of(["status": "LOCKED", "expiresAt": tenant.clock.instant(of: end)])
  }

  private func logs(in tenant: Tenant) -> JSON? {
    switch mobile?.logRequest {
    case .none: nil
    case .received: ["status": "RECEIVED"]
    case .pending(let end) where tenant.clock.isOver(end): nil
    case .pending(let end): .of(["status": "PENDING", "expiresAt": tenant.clock.instant(of: end)])
    }
  }
}

/// The pairing of a user with a trusted device.
struct MobilePairing: Codable {
  enum LogRequest: Codable {
    case pending(until: EndTime)
    case received
  }

  let device: ID<TrustedDevice>
  let pairingKey: ID<IssuedPairingKey>
  var activationTriesLeft = 3
  /// Times of consecutive pushes that were ignored or denied.
  var pushMisses: [EndTime] = []
  /// After too many misses, no push is sent or answered until this time.
  var pushLock: EndTime?
  var logRequest: LogRequest?

  static let activationSeconds = 15 * 60
  static let maximumNickname = 256
}

extension Tenant {
  func pairings(on device: ID<TrustedDevice>) -> [MFADevice] {
    devices.all(by: device.text).filter { $0.status == .active }
  }

  /// Deletes a device with all its pairings; its keys are unknown afterwards.
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
