internal import EventLoop

/// What a device speaks with: who it is, the keys that prove it, and the platform that it speaks to.
package struct DeviceCredentials: Sendable {
  package let identity: Identity
  package let keys: IdentityKeys
  package let platform: PlatformRecord
  /// Whether it is still there: its owner may be erased while it is asked for something.
  let isThere: @EventLoop @Sendable () -> Bool
  /// Asks the platform for its keys and stores them; returns whether they are others now.
  let refreshPlatformKeys: @EventLoop @Sendable () async -> Bool

  package init(
    identity: Identity,
    keys: IdentityKeys,
    platform: PlatformRecord,
    isThere: @escaping @EventLoop @Sendable () -> Bool,
    refreshPlatformKeys: @escaping @EventLoop @Sendable () async -> Bool
  ) {
    (self.identity, self.keys, self.platform) = (identity, keys, platform)
    (self.isThere, self.refreshPlatformKeys) = (isThere, refreshPlatformKeys)
  }
}
