import Time

/// Remembers the identifiers of tokens that may be used once, as long as these could be accepted.
struct ReplayGuard {
  private var used: [String: Timestamp] = [:]
  private var nextCleaning = Timestamp(seconds: 0)

  private static let secondsBetweenCleanings = 60

  /// Notes a use; false if it is not the first.
  mutating func use(_ identifier: String, until end: Timestamp, now: Timestamp) -> Bool {
    if now >= nextCleaning {
      used = used.filter { $0.value > now }
      nextCleaning = now.adding(seconds: Self.secondsBetweenCleanings)
    }
    guard used[identifier] == nil else { return false }
    used[identifier] = end
    return true
  }
}
