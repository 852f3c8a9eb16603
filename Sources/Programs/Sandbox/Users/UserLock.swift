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
    guard let limit = mfaSettings.failureCount, var user = users[id], lock(of: user) == nil else { return }
    user.failures += 1
    if user.failures >= limit {
      user.failures = 0
      user.lock = UserLock(end: mfaSettings.lockSeconds.map { clock.deadline(in: $0) })
    }
    users.put(user)
  }

  func forgetFailures(of id: ID<User>) { users[id]?.failures = 0 }
}
