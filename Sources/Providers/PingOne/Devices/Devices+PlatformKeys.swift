internal import ControlAPI
internal import EventLoop
internal import JOSE
internal import Journal
internal import Time
internal import Vault
public import WebAddress

extension Devices {
  private static let shortestInterval = Duration.seconds(60)

  /// Trusts only keys that one of these keys signed, including keys stored earlier.
  ///
  /// With an empty set, trusts the first keys that a platform presents.
  public func pin(_ thumbprints: Set<String>) {
    guard thumbprints != service.pinnedKeys else { return }
    service.pinnedKeys = thumbprints
    keyRefreshes = [:]
    forgetPlatformKeys()
  }

  /// True if a pinned key authenticates the platform of an identity.
  ///
  /// For a trusted identity, this checks the stored keys. For any other, it applies to the future keys.
  public func isPinned(_ identity: Identity?) -> Bool {
    guard !service.pinnedKeys.isEmpty else { return false }
    guard let identity, identity.isTrusted else { return true }
    return !platform(identity.url).keys.isEmpty
  }

  /// Fetches the keys of a platform if none are stored or a new pin does not trust the stored ones.
  ///
  /// A pinned key must sign them. Without a pin, the first keys are trusted.
  func requireKeys(of record: PlatformRecord) async throws {
    guard try record.announced() == nil else { return }
    try await meetings.run(record.url, changing: core.vault) { [self] in
      let found: PlatformKeySet
      do { found = try await service.keys(of: record) } catch PlatformError.refused {
        // A key failure does not decide the request that needed the keys.
        throw PlatformError.failed(service.pinnedKeys.isEmpty ? .notPlatform : .notPinned)
      }
      try setPlatformKeys(found, of: record.url)
      Journal.warning("missing keys of a platform have been fetched", ["count": found.keys.count])
    }
  }

  /// Returns the RFC 7638 thumbprints of a platform's current keys without storing them.
  ///
  /// Throws if they are not authenticated.
  public func thumbprints(of url: WebURL) async throws -> [String] {
    try await service.keys(of: platform(url)).keys.map(\.thumbprint)
  }

  func setPlatformKeys(_ keys: PlatformKeySet, of url: WebURL) throws {
    try table.setPlatformKeys(of: url, to: keys)
    platform(url).forgetKeys()
  }

  /// Fetches and stores a platform's keys, at most once a minute; returns true if they have changed.
  ///
  /// A stored or pinned key must sign the new set. An attacker with forged responses therefore causes at most
  /// one request a minute.
  func refreshKeys(of record: PlatformRecord) async throws -> Bool {
    // Without stored keys the new ones cannot be authenticated. First keys are stored only with the trust
    // they establish.
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
