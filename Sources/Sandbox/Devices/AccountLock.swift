import JSON
import Time

/// What has closed an account on a device, and until when.
struct AccountLock: Sendable {
  /// The rule that closed it.
  let policy: String
  let end: Deadline

  /// Too many pushes in a row were ignored or denied.
  static func pushLimit(until end: Deadline) -> AccountLock { AccountLock(policy: "PUSH_LIMIT", end: end) }
}

extension Tenant {
  /// What keeps an account from answering pushes now.
  func lock(of pairing: MobileDevice) -> AccountLock? {
    guard let end = pairing.pushLock, !clock.isOver(end) else { return nil }
    return .pushLimit(until: end)
  }

  /// The members by which a device is told of a lock.
  func members(of lock: AccountLock) -> JSONObject {
    ["policy": .string(lock.policy), "expiresAt": .time(clock.instant(of: lock.end))]
  }

  /// The account that a push is for.
  func pairing(of notification: Notification) -> MobileDevice? {
    devices.first {
      $0.device == notification.device && $0.user == notification.user && $0.status == .active
    }
  }

  /// Counts a push that was denied or ignored, at that time; the one too many closes the account for pushes.
  func countMiss(_ notification: Notification, at time: Deadline) -> AccountLock? {
    guard notification.kind == .authentication, var pairing = pairing(of: notification),
      lock(of: pairing) == nil
    else { return nil }
    let limit = policy(of: notification).rules(for: pairing.application).pushLimit
    let start = time.instant.adding(seconds: -limit.period.seconds)
    pairing.pushMisses = pairing.pushMisses.filter { $0.instant > start } + [time]
    var lock: AccountLock?
    if pairing.pushMisses.count >= limit.count {
      let end = Deadline(instant: time.instant.adding(seconds: limit.lockDuration.seconds))
      pairing.pushMisses = []
      pairing.pushLock = end
      lock = .pushLimit(until: end)
    }
    devices.put(pairing)
    return lock
  }

  /// An approval ends the row of pushes that were missed.
  func forgetMisses(of notification: Notification) {
    guard var pairing = pairing(of: notification), !pairing.pushMisses.isEmpty else { return }
    pairing.pushMisses = []
    devices.put(pairing)
  }
}

extension PingOneError {
  /// The account is closed.
  static func accountLocked(_ members: JSONObject) -> PingOneError {
    PingOneError(
      status: 403,
      code: "ACCOUNT_LOCKED",
      message: "The account is closed for a while.",
      extra: members
    )
  }
}
