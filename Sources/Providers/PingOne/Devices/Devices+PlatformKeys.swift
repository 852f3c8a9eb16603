internal import ControlAPI
internal import EventLoop
internal import JOSE
internal import Journal
internal import Time
internal import Vault
public import WebAddress

extension Devices {
  private static let shortestInterval = Duration.seconds(60)

  /// Trusts from now on only what one of these keys vouches for, also of what is held already; with none of them, the
  /// keys that were met first.
  public func pin(_ thumbprints: Set<String>) {
    guard thumbprints != service.pinnedKeys else { return }
    service.pinnedKeys = thumbprints
    keyRefreshes = [:]
    forgetPlatformKeys()
  }

  /// Whether the configuration vouches for the platform of an identity: for the keys that are held of one that was met,
  /// for those that will be of any other.
  public func isPinned(_ identity: Identity?) -> Bool {
    guard !service.pinnedKeys.isEmpty else { return false }
    guard let identity, identity.isTrusted else { return true }
    return !platform(identity.url).keys.isEmpty
  }

  /// Asks a platform for its keys where none is held that is trusted: a pin took the trust in them away, or they were
  /// lost.
  ///
  /// A pinned key has to vouch for them; without a pin those that are met now are the first.
  func requireKeys(of record: PlatformRecord) async throws {
    guard try record.announced() == nil else { return }
    try await meetings.run(record.url, changing: core.vault) { [self] in
      let found: PlatformKeySet
      do { found = try await service.keys(of: record) } catch PlatformError.refused {
        // Nobody said anything that decides about what was asked.
        throw PlatformError.failed(service.pinnedKeys.isEmpty ? .notPlatform : .notPinned)
      }
      try setPlatformKeys(found, of: record.url)
      Journal.warning("no keys of a platform were held, and are now", ["count": found.keys.count])
    }
  }

  /// The thumbprints of the keys that a platform has now, RFC 7638; what nobody vouches for throws, and none is kept.
  public func thumbprints(of url: WebURL) async throws -> [String] {
    try await service.keys(of: platform(url)).keys.map(\.thumbprint)
  }

  func setPlatformKeys(_ keys: PlatformKeySet, of url: WebURL) throws {
    try table.setPlatformKeys(of: url, to: keys)
    platform(url).forgetKeys()
  }

  /// Asks a platform for its keys, at most once a minute, and stores them; returns whether there are others now.
  ///
  /// Only a set that a held or pinned key has signed is taken, so whoever forges answers gains a question a minute.
  func refreshKeys(of record: PlatformRecord) async throws -> Bool {
    // Where none is held nobody can vouch; first keys are kept only with the trust that they prove.
    guard !record.keys.isEmpty else { return false }
    if let last = keyRefreshes[record.url], core.time.uptime() - last.at < Self.shortestInterval {
      return try await last.task.value
    }
    let task = EventLoop.task { [self] in
      let before = Set(record.keys.map(\.thumbprint))
      let found: PlatformKeySet
      // A set that is not vouched for is as good as none.
      do { found = try await service.keys(of: record) } catch { return false }
      guard Set(found.keys.map(\.thumbprint)) != before else { return false }
      do { try await core.vault.untilStored { try setPlatformKeys(found, of: record.url) } } catch {
        // Whoever asks next tries to store them again.
        keyRefreshes[record.url] = nil
        throw error
      }
      Journal.info("the platform has other keys now", ["count": found.keys.count])
      return true
    }
    keyRefreshes[record.url] = (core.time.uptime(), task)
    return try await task.value
  }
}
