/// Why a user cannot authenticate with any device.
struct UserLock: Codable, Sendable {
  /// `nil` until an administrator unlocks the user.
  let end: Deadline?
}

extension Tenant {
  func lock(of user: User) -> UserLock? {
    user.lock.flatMap { lock in lock.end.map { clock.isOver($0) } ?? false ? nil : lock }
  }

  func countFailure(of id: ID<User>) {
    guard let lockout = self.mfaSettings.lockout, var user = users[id], lock(of: user) == nil else { return }
    user.failures += 1
    if user.failures >= lockout.failureCount {
      user.failures = 0
      audit(.userLocked, user: id, "The user has failed too often.")
      user.lock = UserLock(end: lockout.duration.map { clock.deadline(in: $0) })
    }
    users.put(user)
  }

  func forgetFailures(of id: ID<User>) { users[id]?.failures = 0 }
}
