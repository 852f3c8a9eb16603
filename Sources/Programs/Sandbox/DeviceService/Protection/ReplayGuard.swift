import Time

struct UsedToken: Stored, Codable {
  let id: ID<UsedToken>
  let end: Timestamp
}

/// Remembers tokens that may be used once, as long as these could be accepted.
struct ReplayGuard {
  var used = Shelf<UsedToken>()
  private var nextCleaning = Timestamp(seconds: 0)

  /// Notes a use; false if it is not the first.
  mutating func use(_ identifier: String, until end: Timestamp, now: Timestamp) -> Bool {
    if now >= nextCleaning {
      used.removeAll { $0.end <= now }
      nextCleaning = now.adding(seconds: 60)
    }
    let token = UsedToken(id: ID(identifier), end: end)
    guard used[token.id] == nil else { return false }
    used.put(token)
    return true
  }
}
