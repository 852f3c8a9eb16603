/// Why and until when a user cannot authenticate with any device.
enum UserLock: Codable {
  case until(Deadline)
  /// Until an administrator unlocks the user.
  case unlimited
}

extension Tenant {
  /// What keeps a user from authenticating now.
  func lock(of user: User) -> UserLock? {
    switch user.lock {
    case .until(let end): clock.isOver(end) ? nil : user.lock
    case .unlimited, nil: user.lock
    }
  }

  /// Counts a failure of a user; the one too many locks the user.
  func countFailure(of id: ID<User>) {
    guard let lockout = mfaSettings.lockout, var user = users[id], lock(of: user) == nil else { return }
    user.failures += 1
    if user.failures >= lockout.failureCount {
      user.failures = 0
      audit(.userLocked, user: id, "The user has failed too often.")
      user.lock = lockout.duration.map { .until(clock.deadline(in: $0)) } ?? .unlimited
    }
    users.put(user)
  }

  /// A success ends the row of failures.
  func forgetFailures(of id: ID<User>) {
    guard var user = users[id], user.failures > 0 else { return }
    user.failures = 0
    users.put(user)
  }
}
