internal import ControlAPI
internal import EventLoop
internal import JOSE
internal import Journal
internal import Time
internal import Vault
public import WebAddress

extension Devices {
  private static let shortestInterval = Duration.seconds(60)

  /// Sets the pinned keys: a key set of a platform is trusted only if a pinned key signed it.
  ///
  /// This applies to stored key sets too. Without pinned keys, the first set that a platform presents is
  /// trusted.
  public func pin(_ thumbprints: Set<String>) {
    guard thumbprints != service.pinnedKeys else { return }
    service.pinnedKeys = thumbprints
    keyRefreshes = [:]
    forgetPlatformKeys()
  }

  /// True if a pinned key authenticates the platform of an identity.
  ///
  /// For a trusted identity, the stored keys are checked. For any other, the pins will apply to the keys that
  /// are fetched later.
  public func isPinned(_ identity: Identity?) -> Bool {
    guard !service.pinnedKeys.isEmpty else { return false }
    guard let identity, identity.isTrusted else { return true }
    return !platform(identity.url).keys.isEmpty
  }

  /// Fetches and stores a platform's keys, unless a trusted key set is already stored.
  ///
  /// A pinned key must have signed the fetched set. Without pinned keys, it is trusted as the first set.
  func requireKeys(of record: PlatformRecord) async throws {
    guard try record.announced() == nil else { return }
    try await meetings.run(record.url, changing: core.vault) { [self] in
      let found: PlatformKeySet
      do { found = try await service.keys(of: record) } catch PlatformError.refused {
        // `refused` would mean that the platform refused the request that needs the keys.
        throw PlatformError.failed(service.pinnedKeys.isEmpty ? .notPlatform : .notPinned)
      }
      try setPlatformKeys(found, of: record.url)
      Journal.warning("missing keys of a platform have been fetched", ["count": found.keys.count])
    }
  }

  /// Returns the RFC 7638 thumbprints of a platform's current keys without storing them.
  ///
  /// Throws an error if the keys cannot be authenticated.
  public func thumbprints(of url: WebURL) async throws -> [String] {
    try await service.keys(of: platform(url)).keys.map(\.thumbprint)
  }

  func setPlatformKeys(_ keys: PlatformKeySet, of url: WebURL) throws {
    try table.setPlatformKeys(of: url, to: keys)
    platform(url).forgetKeys()
  }

  /// Fetches and stores a platform's keys, at most once a minute; returns true if they have changed.
  ///
  /// A stored or pinned key must have signed the new set. Forged responses cause at most one request a
  /// minute.
  func refreshKeys(of record: PlatformRecord) async throws -> Bool {
    // Without stored keys, new keys cannot be authenticated here. `configure` and `requireKeys` store the
    // first keys of a platform.
    guard !record.keys.isEmpty else { return false }
    if let last = keyRefreshes[record.url], core.time.uptime() - last.at < Self.shortestInterval {
      return try await last.task.value
    }
    let task = EventLoop.task { [self] in
      let before = Set(record.keys.map(\.thumbprint))
      let found: PlatformKeySet
      // Ignore a set that is not authenticated.
      do { found = try await service.keys(of: record) } catch { return false }
      guard Set(found.keys.map(\.thumbprint)) != before else { return false }
      do { try await core.vault.untilStored { try setPlatformKeys(found, of: record.url) } } catch {
        // Let the next caller try to store them again.
        keyRefreshes[record.url] = nil
        throw error
      }
      Journal.info("the keys of the platform have changed", ["count": found.keys.count])
      return true
    }
    keyRefreshes[record.url] = (core.time.uptime(), task)
    return try await task.value
  }
}
