internal import JSON

/// Why an account is closed, as a person reads it.
enum LockText {
  /// The reason and how long it lasts: `because too many requests were denied or ignored, for another 29 min 3 s`.
  static func words(_ lock: JSON?) -> SafeText? {
    guard let policy = lock?["policy"] else { return nil }
    let name: SafeText =
      switch policy.string {
      case "PUSH_LIMIT": "because too many requests were denied or ignored"
      case "DEVICE_BLOCKED": "because an administrator blocked this machine"
      default: "by the policy \(Describe.value(policy))"
      }
    guard let end = lock?["expiresAt"] else { return name }
    guard let left = Describe.remaining(end) else { return "\(name), until \(Describe.value(end))" }
    return "\(name), for another \(left)"
  }
}
