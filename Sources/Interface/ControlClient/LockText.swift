package import ControlAPI

/// Why an account is closed, as a person reads it.
package enum LockText {
  /// The reason and how long it lasts: `because too many requests were denied or ignored, for another 29 min 3 s`.
  package static func words(_ lock: AccountLock) -> SafeText {
    let name: SafeText =
      switch lock.policy {
      case "PUSH_LIMIT": "because too many requests were denied or ignored"
      case "DEVICE_BLOCKED": "because an administrator blocked this machine"
      default: "by the policy \(lock.policy)"
      }
    guard let end = lock.expiresAt else { return name }
    guard let left = Describe.remaining(end) else { return "\(name), until \(end)" }
    return "\(name), for another \(left)"
  }
}
