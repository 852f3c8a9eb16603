import JSON
import Time

/// A lock that a policy or an administrator sets, so that a device or a user cannot authenticate.
struct AuthenticationLock: Sendable {
  let policy: String
  /// End of the lock; `nil` if only an administrator can remove it.
  let end: EndTime?

  static let blocked = AuthenticationLock(policy: "DEVICE_BLOCKED", end: nil)

  static func pushLimit(until end: EndTime) -> AuthenticationLock {
    AuthenticationLock(policy: "PUSH_LIMIT", end: end)
  }

  static func lockout(until end: EndTime?) -> AuthenticationLock {
    AuthenticationLock(policy: "MFA_LOCKOUT", end: end)
  }
}

extension Tenant {
  func lock(of pairing: MFADevice) -> AuthenticationLock? {
    if pairing.blockedAt != nil { return .blocked }
    if let end = pairing.mobile?.pushLock, !clock.isOver(end) { return .pushLimit(until: end) }
    return users[pairing.user].flatMap { lockout(of: $0) }
  }

  func requireNoLock(of pairing: MFADevice?) throws(ErrorResponse) {
    guard let lock = pairing.flatMap({ self.lock(of: $0) }) else { return }
    throw .accountLocked.with(members(of: lock))
  }

  /// Returns the lock that prevents a user from authenticating with any device, `nil` if the policy ignores
  /// it.
  func lockout(of user: PlatformUser) -> AuthenticationLock? {
    policy.ignoresUserLock ? nil : lock(of: user).map { .lockout(until: $0.end) }
  }

  func members(of lock: AuthenticationLock) -> JSONObject {
    var members: JSONObject = ["policy": .string(lock.policy)]
    members["expiresAt"] = lock.end.map { clock.instant(of: $0).json }
    return members
  }

  func pairing(of notification: Notification) -> MFADevice? {
    pairings(on: notification.device).first { $0.user == notification.user }
  }

  /// Counts a push that was denied or ignored at `time`; at the limit, returns a new lock for pushes.
  func countMiss(_ notification: Notification, at time: EndTime) -> AuthenticationLock? {
    guard notification.kind == .authentication, var pairing = pairing(of: notification),
      var mobile = pairing.mobile, lock(of: pairing) == nil
    else { return nil }
    let limit = policy.pushLimit
    let start = time.instant.adding(seconds: -limit.period.seconds)
    mobile.pushMisses = mobile.pushMisses.filter { $0.instant > start } + [time]
    var lock: AuthenticationLock?
    if mobile.pushMisses.count >= limit.count {
      let end = EndTime(instant: time.instant.adding(seconds: limit.lockDuration.seconds))
      mobile.pushMisses = []
      mobile.pushLock = end
      lock = .pushLimit(until: end)
    }
    pairing.mobile = mobile
    devices.put(pairing)
    return lock
  }

  func forgetMisses(of notification: Notification) {
    if let pairing = pairing(of: notification) { devices[pairing.id]?.mobile?.pushMisses = [] }
  }
}

/// A lock that prevents a user from authenticating with any device.
struct UserLock: Codable, Sendable {
  /// End of the lock; `nil` if only an administrator can unlock the user.
  let end: EndTime?
}

extension Tenant {
  func lock(of user: PlatformUser) -> UserLock? {
    user.lock.flatMap { lock in lock.end.map { clock.isOver($0) } ?? false ? nil : lock }
  }

  func countFailure(of id: ID<PlatformUser>) {
    guard let limit = mfaSettings.failureCount, var user = users[id], lock(of: user) == nil else { return }
    user.failures += 1
    if user.failures >= limit {
      user.failures = 0
      user.lock = UserLock(end: mfaSettings.lockSeconds.map { clock.deadline(in: $0) })
    }
    users.put(user)
  }

  func forgetFailures(of id: ID<PlatformUser>) { users[id]?.failures = 0 }
}
