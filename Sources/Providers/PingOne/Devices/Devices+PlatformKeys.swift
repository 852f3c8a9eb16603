internal import EventLoop
internal import JOSE
internal import Journal
internal import Time
internal import WebAddress

extension Devices {
  private static let shortestInterval = Duration.seconds(60)

  /// Asks a platform for its keys, at most once a minute, and stores them; returns whether there are others now.
  ///
  /// Only a set that a held or pinned key has signed is taken, so whoever forges answers gains a question a minute.
  func refreshKeys(of record: PlatformRecord) async throws -> Bool {
    // Where none is held nobody can vouch; first keys are kept only with the trust that they prove.
    guard !record.keys.isEmpty else { return false }
    if let last = keyRefreshes[record.url], time.uptime() - last.at < Self.shortestInterval {
      return try await last.task.value
    }
    let task = EventLoop.task { [self] in
      let before = Set(record.keys.map(\.thumbprint))
      let found: PlatformKeys
      // A set that is not vouched for is as good as none.
      do { found = try await service.keys(of: record) } catch { return false }
      guard Set(found.keys.map(\.thumbprint)) != before else { return false }
      try setPlatformKeys(found, of: record.url)
      Journal.info("the platform has other keys now", ["count": found.keys.count])
      return true
    }
    keyRefreshes[record.url] = (time.uptime(), task)
    return try await task.value
  }
}
